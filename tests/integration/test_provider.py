# SPDX-License-Identifier: Apache-2.0
"""A provider that only tests/data knows: nothing about it is in the code."""

import json
import unittest

from fabricbind import answer, data

ARGS = ("--snapshot", data("provider"), "--policies", data("provider", "policies"))


def golden(name):
    with open(data("provider", name + ".golden.json"), encoding="utf-8") as file:
        return json.load(file)


class Provider(unittest.TestCase):
    maxDiff = None

    def test_nodes(self):
        self.assertEqual(answer("nodes", *ARGS), golden("nodes"))

    def test_check(self):
        self.assertEqual(answer("check", *ARGS, code=1), golden("check"))

    def test_plan(self):
        self.assertEqual(answer("plan", *ARGS, "--job", data("provider", "job.yaml")),
                         golden("plan"))


if __name__ == "__main__":
    unittest.main()
