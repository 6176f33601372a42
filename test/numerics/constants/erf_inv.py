# python3 erf_inv.py: Chebyshev interpolation for erf_inv_f32.glsl and erf_inv_ratio_f32.glsl (needs mpmath)
from mpmath import *
mp.prec=250
import struct
F=lambda x: struct.unpack('f',struct.pack('f',float(x)))[0]
def P(w):
    if w==0: return sqrt(pi)/2
    q=exp(-w)            # 1-x^2
    x=sqrt(1-q)
    # solve erfc(y)=1-x by newton
    d=q/(1+x)            # 1-x
    y=sqrt(w)*mpf('0.85') if w>1 else x*mpf('0.9')
    for i in range(60):
        e=(erfc(y)-d)*sqrt(pi)/2*exp(y*y)
        step=-e/(1-y*e) if abs(1-y*e)>0.1 else -e
        y=y+ e/(1+y*e) if False else y+e*(1/(1+y*e) if (1+y*e)>mpf('0.2') else mpf(1))
        if abs(e)<mpf(10)**-50: break
    return y/x
def cheb(f,a,b,n):
    xs=[(a+b)/2+(b-a)/2*cos(pi*(2*k+1)/(2*n+2)) for k in range(n+1)]
    ys=[f(x) for x in xs]
    return xs,ys
def fit(f,a,b,n,c):
    xs,ys=cheb(f,mpf(a),mpf(b),n)
    # solve vandermonde in (x-c), then round from the top, refitting
    A=matrix(n+1,n+1)
    for i in range(n+1):
        for j in range(n+1): A[i,j]=(xs[i]-c)**j
    co=list(lu_solve(A,matrix(ys)))
    return co
def report(name,f,a,b,n,c):
    co=fit(f,a,b,n,c)
    r=[F(x) for x in co]
    lo=F(co[0]-mpf(r[0]))
    worst=0
    for i in range(200):
        x=mpf(a)+(mpf(b)-a)*i/199
        v=x-c
        p=mpf(0)
        for k in reversed(r): p=p*v+k
        p+=lo
        worst=max(worst,abs(p/f(x)-1))
    print('#',name,nstr(log(worst,2),6),'lo',repr(lo))
    for k in reversed(r): print('   %.9g'%k)
report('low', P, 0, 5, 11, mpf('2.5'))
report('mid', lambda s: P(s*s), sqrt(mpf(5))*0.999, mpf('4.1'), 9, mpf(3))
report('top', lambda s: P(s*s), mpf('4.05'), mpf('6.1'), 7, mpf(5))
g=lambda z:(P(-log(1-z))-sqrt(pi)/2)/z
n=6
co=fit(g,mpf('1e-6'),mpf('0.2505'),n,0)
r=[F(x) for x in co]
worst=0
for i in range(1,200):
    z=mpf('0.25')*i/199
    p=mpf(0)
    for k in reversed(r): p=p*z+k
    worst=max(worst,abs((p*z+sqrt(pi)/2)/P(-log(1-z))-1))
print('# below 1/2', nstr(log(worst,2),6))
for k in reversed(r): print('   %.9g' % k)
