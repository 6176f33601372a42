reads: json
---
[]
---
1 needs an object, found a list
at $
