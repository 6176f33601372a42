reads: json
---
{"schema": "nx.vulkan.graph/1", "name": "f", "entry": 0, "callbacks": 0, "literals": [], "donations": [{"input": 0, "output": 0}],
 "funcs": [
  {"params": [{"type": "f32", "shape": [3], "name": "x"}],
   "nodes": [
    {"id": 0, "op": "parameter", "ins": [], "outs": [{"type": "f32", "shape": [3]}], "attrs": {"index": 0}},
    {"id": 1, "op": "constant", "ins": [], "outs": [{"type": "f32", "shape": [3]}], "attrs": {"bits": "40000000"}},
    {"id": 2, "op": "multiply", "ins": [[0, 0], [1, 0]], "outs": [{"type": "f32", "shape": [3]}], "loc": "lib/model.ex:12"},
    {"id": 3, "op": "sum", "ins": [[2, 0]], "outs": [{"type": "f32", "shape": []}], "attrs": {"axes": [0], "keep": false}}],
   "results": [[3, 0]]}]}
---
1 donation 0: input 0 is f32[3], output 0 is f32[]: their sizes differ
at $
