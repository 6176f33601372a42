reads: json
---
{"schema": "nx.vulkan.graph/1", "name": "f", "entry": 0, "callbacks": 0, "literals": [], "donations": [],
 "funcs": [
  {"params": [{"type": "f32", "shape": [1048576, 262144], "name": "x"}],
   "nodes": [
    {"id": 0, "op": "parameter", "ins": [], "attrs": {"index": 0},
     "outs": [{"type": "f32", "shape": [1048576, 262144]}]}],
   "results": [[0, 0]]}]}
---
1 the tensor is too large: 2^40 bytes or more
at $.funcs[0].params[0]
