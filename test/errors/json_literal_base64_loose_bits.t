reads: json
---
{"schema": "nx.vulkan.graph/1", "name": "f", "entry": 0, "callbacks": 0, "literals": [{"type": "u8", "shape": [1], "sha256": "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81", "base64": "AR=="}], "donations": [],
 "funcs": [
  {"params": [{"type": "f32", "shape": [3], "name": "x"}],
   "nodes": [
    {"id": 0, "op": "parameter", "ins": [], "outs": [{"type": "f32", "shape": [3]}], "attrs": {"index": 0}},
    {"id": 1, "op": "constant", "ins": [], "outs": [{"type": "f32", "shape": [3]}], "attrs": {"bits": "40000000"}},
    {"id": 2, "op": "multiply", "ins": [[0, 0], [1, 0]], "outs": [{"type": "f32", "shape": [3]}], "loc": "lib/model.ex:12"},
    {"id": 3, "op": "sum", "ins": [[2, 0]], "outs": [{"type": "f32", "shape": []}], "attrs": {"axes": [0], "keep": false}}],
   "results": [[3, 0]]}]}
---
1 is not strict base64: a character outside the alphabet, padding in the middle, or bits after the end
at $.literals[0].base64
