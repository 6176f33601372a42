reads: json
---
[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
---
1 not JSON: nesting too deep at byte 64
at $
