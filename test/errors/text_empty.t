reads: text
---

---
1 needs graph, found the end
at line 2
