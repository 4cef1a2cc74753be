"""How every page looks: colours for light, dark and paper, and the style of pages and charts."""

COLOURS = """
:root{--paper:#fcfcfa;--sheet:#fff;--ink:#16181d;--soft:#575c66;--line:#e3e4e0;--s0:#2a78d6;--s1:#eb8a3c;--s2:#1f9e77;
--good:#14743f;--good-sheet:#e2f3e8;--bad:#a4262c;--bad-sheet:#fbe6e5;--none:#5b5f68;--none-sheet:#ecedef;--link:#1d5fb0;
--s3:#b1568f;--warn:#8a5a00;--warn-sheet:#fdf0d2}
@media (prefers-color-scheme:dark){:root{--paper:#14161a;--sheet:#1b1e23;--ink:#eceef1;--soft:#a5abb6;--line:#32363e;
--s0:#4b94ec;--s1:#d97a2c;--s2:#2fb389;--good:#7fd8a2;--good-sheet:#173524;--bad:#ff9d98;--bad-sheet:#41201f;
--none:#b6bbc4;--none-sheet:#2b2f36;--link:#86b7f5;--s3:#d583b8;--warn:#f3c766;--warn-sheet:#3b2f14}}
@media print{:root{--paper:#fff;--sheet:#fff;--ink:#000;--soft:#444;--line:#ccc;--s0:#2a78d6;--s1:#eb8a3c;--s2:#1f9e77;
--good:#14743f;--good-sheet:#e2f3e8;--bad:#a4262c;--bad-sheet:#fbe6e5;--none:#5b5f68;--none-sheet:#ecedef;--link:#000;
--s3:#b1568f;--warn:#8a5a00;--warn-sheet:#fdf0d2}}
"""

CHART_STYLE = """
.chart text{fill:var(--ink);font-size:13px}
.chart text{paint-order:stroke;stroke:var(--sheet);stroke-width:3px;stroke-linejoin:round}
.chart text.tick{fill:var(--soft);font-size:11.5px}
.chart text.value{font-size:12px}
.key{fill:var(--soft)}
.sheet{fill:var(--sheet)}
.s0{fill:var(--s0);color:var(--s0)}
.s1{fill:var(--s1);color:var(--s1)}
.s2{fill:var(--s2);color:var(--s2)}
.s3{fill:var(--s3);color:var(--s3)}
.curve{stroke-width:2.5;stroke-linecap:round}
.l0{stroke:var(--s0)}
.l1{stroke:var(--s1)}
.l2{stroke:var(--s2)}
.l3{stroke:var(--s3)}
path.curve{fill:none;vector-effect:non-scaling-stroke;stroke-linejoin:round}
.band{opacity:.16}
.moment{stroke:var(--ink);stroke-width:1;stroke-dasharray:2 3}
.sign{fill:var(--ink)}
.chart text.sign{fill:var(--sheet);stroke:none;font-size:11px;font-weight:700;text-anchor:middle}
.rest{fill:var(--none-sheet)}
.node{stroke:var(--sheet);stroke-width:2}
.whisker{stroke:var(--ink);stroke-width:1.5}
.grid{stroke:var(--line)}
.mark{fill:var(--ink);color:var(--ink)}
.marked{stroke:var(--ink);stroke-width:1.5}
line.odds{stroke:var(--soft);stroke-width:1.5;stroke-dasharray:4 4}
"""

PAGE_STYLE = """
*{box-sizing:border-box}
html{scroll-behavior:smooth}
body{margin:0;background:var(--paper);color:var(--ink)}
body{font:16px/1.55 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:64rem;margin:0 auto;padding:2.5rem 1.25rem}
h1{font-size:clamp(1.6rem,5vw,2.4rem);line-height:1.15;margin:.2rem 0 1rem;letter-spacing:-.015em}
h2{font-size:1.35rem;margin:3rem 0 .6rem;padding-top:1.2rem;border-top:1px solid var(--line)}
p,ul{max-width:46rem;margin:.6rem 0}
ul{padding-left:1.2rem}
li p{margin:.3rem 0}
.over{color:var(--soft);margin:0}
.lead{font-size:1.1rem}
code{font-size:.88em;background:var(--none-sheet);border-radius:4px;padding:.1em .3em}
a{color:var(--link);text-decoration:none}
a:hover{text-decoration:underline}
nav{display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;font-size:.92rem}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:.75rem;margin:1.5rem 0}
.tile{background:var(--sheet);border:1px solid var(--line);border-radius:10px;padding:.8rem 1rem}
.tile{color:var(--soft);font-size:.87rem;line-height:1.35;overflow-wrap:anywhere}
.tile b{display:block;color:var(--ink);font-size:1.7rem;line-height:1.2;letter-spacing:-.02em}
figure{background:var(--sheet);border:1px solid var(--line);border-radius:10px}
figure{margin:1.2rem 0;padding:1rem 1.1rem .4rem}
figcaption{font-weight:600;margin-bottom:.6rem}
.legend{display:flex;flex-wrap:wrap;font-weight:400;font-size:.85rem;color:var(--soft)}
.key{margin-right:1rem;white-space:nowrap}
.key i{font-style:normal}
.chart{display:block;overflow:visible}
table{border-collapse:collapse;width:100%;font-size:.88rem;line-height:1.4;margin:1rem 0}
th{text-align:left;color:var(--soft);font-weight:600}
th,td{padding:.6rem 1rem .6rem 0;border-bottom:1px solid var(--line);vertical-align:top}
.label{display:block;color:var(--soft);font-size:.8rem;line-height:1.25}
.measure{margin-bottom:.3rem}
.measure b{font-weight:600;font-variant-numeric:tabular-nums;white-space:nowrap}
.dim{color:var(--soft);font-size:.8rem;white-space:nowrap}
.badge{display:inline-block;border-radius:99px;padding:.05rem .65rem;font-size:.82rem;font-weight:600}
.badge{white-space:nowrap}
.why{display:block;color:var(--soft);font-size:.8rem;line-height:1.35;margin-top:.25rem}
footer{margin-top:3rem;border-top:1px solid var(--line);color:var(--soft);font-size:.87rem}
@media screen and (max-width:48rem){
main{padding:1.5rem 1rem}
thead,td.none{display:none}
tr{display:block;background:var(--sheet);border:1px solid var(--line);border-radius:10px}
tr{margin:.8rem 0;padding:.7rem .9rem}
td,td:nth-child(n){display:block;width:auto;border:0;padding:.3rem 0}
td[data-label]::before{content:attr(data-label);display:block;font-weight:600}
}
@media print{
body{font-size:10.5pt}
main{max-width:none;padding:0}
nav{display:none}
figure,tr{break-inside:avoid}
h2{break-after:avoid}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
"""
STYLE = CHART_STYLE + PAGE_STYLE
