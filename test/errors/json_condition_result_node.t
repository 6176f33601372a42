reads: json
---
{"schema": "nx.vulkan.graph/1", "name": "f", "entry": 0, "callbacks": 0, "literals": [], "donations": [],
 "funcs": [
  {"params": [{"type": "s32", "shape": [], "name": "x"}],
   "nodes": [
    {"id": 0, "op": "parameter", "ins": [], "outs": [{"type": "s32", "shape": []}], "attrs": {"index": 0}},
    {"id": 1, "op": "while", "ins": [[0, 0]], "outs": [{"type": "s32", "shape": []}], "regions": [1, 2]}],
   "results": [[1, 0]]},
  {"params": [{"type": "s32", "shape": []}],
   "nodes": [{"id": 0, "op": "parameter", "ins": [], "outs": [{"type": "s32", "shape": []}], "attrs": {"index": 0}}],
   "results": [[1, 0]]},
  {"params": [{"type": "s32", "shape": []}],
   "nodes": [{"id": 0, "op": "parameter", "ins": [], "outs": [{"type": "s32", "shape": []}], "attrs": {"index": 0}}],
   "results": [[0, 0]]}]}
---
1 result 0 of f1 is node 1, the function has 1
at $.funcs[1]
