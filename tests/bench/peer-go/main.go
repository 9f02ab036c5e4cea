// SPDX-License-Identifier: Apache-2.0

// An extender for Volcano written the usual way: net/http, encoding/json into structs with the
// types of k8s.io/api. The server of the benchmarks is measured against it.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
)

type predicateRequest struct {
	Task *TaskInfo `json:"task"`
	Node *NodeInfo `json:"node"`
}

type predicateResponse struct {
	ErrorMessage string `json:"errorMessage"`
	Status       string `json:"status"`
	Code         int    `json:"code"`
}

type prioritizeRequest struct {
	Task  *TaskInfo   `json:"task"`
	Nodes []*NodeInfo `json:"nodes"`
}

type prioritizeResponse struct {
	NodeScore    map[string]float64 `json:"nodeScore"`
	ErrorMessage string             `json:"errorMessage"`
}

// missing is the first resource of which the node has too little left for the task, or "".
func missing(task *TaskInfo, node *NodeInfo) string {
	for name, want := range task.InitResreq.ScalarResources {
		left := node.Idle.ScalarResources[name] + node.Releasing.ScalarResources[name] -
			node.Pipelined.ScalarResources[name]
		if left < want {
			return string(name)
		}
	}
	return ""
}

// score is 0 for an empty node and 100 for a full one.
func score(node *NodeInfo) float64 {
	all := node.Allocatable.ScalarResources["nvidia.com/gpu"]
	if all == 0 {
		return 0
	}
	return 100 * (1 - node.Idle.ScalarResources["nvidia.com/gpu"]/all)
}

func predicate(w http.ResponseWriter, r *http.Request) {
	var request predicateRequest
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil || request.Task == nil || request.Node == nil {
		http.Error(w, fmt.Sprint("bad request: ", err), http.StatusBadRequest)
		return
	}
	var response predicateResponse
	if name := missing(request.Task, request.Node); name != "" {
		response.Status = "too few free " + name
		response.Code = 2
	}
	answer(w, response)
}

func prioritize(w http.ResponseWriter, r *http.Request) {
	var request prioritizeRequest
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil || request.Task == nil {
		http.Error(w, fmt.Sprint("bad request: ", err), http.StatusBadRequest)
		return
	}
	response := prioritizeResponse{NodeScore: make(map[string]float64, len(request.Nodes))}
	for _, node := range request.Nodes {
		if missing(request.Task, node) == "" {
			response.NodeScore[node.Name] = score(node)
		}
	}
	answer(w, response)
}

func answer(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(body); err != nil {
		log.Print(err)
	}
}

func handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /volcano/predicate", predicate)
	mux.HandleFunc("POST /volcano/prioritize", prioritize)
	return mux
}

func main() {
	address := flag.String("listen", "127.0.0.1:0", "address to listen on")
	flag.Parse()
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, handler()))
}
