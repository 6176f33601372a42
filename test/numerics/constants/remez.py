# python3 remez.py: the coefficients of pow_f32.glsl and sin_cos_f32.glsl. Remez' exchange on a grid, in doubles,
# weighted for relative errors; then one coefficient after the other, lowest first, is rounded to f32 and the rest
# fitted again.
import math, struct
def f32(x): return struct.unpack('f',struct.pack('f',x))[0]
def solve(A,b):
    n=len(b); M=[A[i][:]+[b[i]] for i in range(n)]
    for i in range(n):
        p=max(range(i,n),key=lambda r:abs(M[r][i])); M[i],M[p]=M[p],M[i]
        for r in range(i+1,n):
            f=M[r][i]/M[i][i]
            for c in range(i,n+1): M[r][c]-=f*M[i][c]
    x=[0]*n
    for i in reversed(range(n)): x[i]=(M[i][n]-sum(M[i][c]*x[c] for c in range(i+1,n)))/M[i][i]
    return x
def remez(g,w,powers,a,b):
    # minimise max |w (g - sum c x^p)|; exchange algorithm on a grid
    n=len(powers); N=2000
    xs=[(a+b)/2+(b-a)/2*math.cos(math.pi*(N-i)/N) for i in range(N+1)]
    pts=[(a+b)/2+(b-a)/2*math.cos(math.pi*(n-i)/n) for i in range(n+1)]
    pts=[p if w(p) and p!=0 else p+1e-9 for p in pts]
    gx=[g(x) for x in xs]; wx=[w(x) for x in xs]
    for it in range(30):
        A=[[x**p for p in powers]+[(-1)**i/w(x)] for i,x in enumerate(pts)]
        sol=solve(A,[g(x) for x in pts]); c=sol[:n]
        err=[wx[j]*(gx[j]-sum(ck*xs[j]**p for ck,p in zip(c,powers))) for j in range(N+1)]
        ext=[]
        for j in range(N+1):
            if ext and (err[j]>0)==(err[ext[-1]]>0):
                if abs(err[j])>abs(err[ext[-1]]): ext[-1]=j
            else: ext.append(j)
        while len(ext)>n+1:
            if abs(err[ext[0]])<abs(err[ext[-1]]): ext.pop(0)
            else: ext.pop()
        if len(ext)<n+1: break
        new=[xs[j] for j in ext]
        if max(abs(p-q) for p,q in zip(new,pts))<1e-9: pts=new;break
        pts=new
    return c,max(abs(e) for e in err)
def fit(name,g,w,powers,a,b):
    fixed=[]; rest=list(powers); gg=g
    c,e0=remez(g,w,rest,a,b)
    while rest:
        c,e=remez(gg,w,rest,a,b)
        v=f32(c[0]); fixed.append((rest[0],v)); 
        rest=rest[1:]
        gg=(lambda x,fx=list(fixed): g(x)-sum(v*x**p for p,v in fx))
    N=4000
    err=max(abs(w(x)*gg(x)) for x in [a+(b-a)*i/N for i in range(N+1)])
    print(name,'ideal 2^%.2f rounded 2^%.2f'%(math.log2(e0),math.log2(err)),[ '%d: %.9g'%p for p in reversed(fixed)])
    return fixed


ln2 = math.log(2)
L = 2 / ln2
fit('2^r, as 1 + r P(r)', lambda f: ln2 if abs(f) < 1e-12 else math.expm1(f * ln2) / f,
    lambda f: f / 2**f if abs(f) > 1e-9 else 1e-9, list(range(6)), -0.5005, 0.5005)
def atanh(s):
    q = math.sqrt(s)
    if s < 1e-3:
        return L * (1 / 3 + s / 5 + s * s / 7 + s**3 / 9 + s**4 / 11 + s**5 / 13)
    return (math.atanh(q) * L / q - L) / s
fit('log2((1 + q) / (1 - q)), as L q + q^3 P(q^2)', atanh, lambda s: s / L, list(range(4)), 1e-7, 0.02945)
print('L %.9g + %.9g' % (f32(L), f32(L - f32(L))))
def sine(z):
    r = math.sqrt(z)
    return -1 / 6 + z / 120 - z * z / 5040 if z < 1e-3 else (math.sin(r) / r - 1) / z
fit('sin(r), as r + r^3 P(r^2)', sine, lambda z: z, list(range(3)), 1e-7, 0.7875**2)
