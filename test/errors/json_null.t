reads: json
---
null
---
1 needs an object, found null
at $
