//! Which scripts pass, and which do not. A `⏎` in the tables is a line end, and a `␍` what Windows has before one.

use super::{Role, ScriptVerdict, awk, is_assignment, jq, sed};

fn scripts(table: &'static str) -> impl Iterator<Item = String> {
    assert!(table.lines().count() >= 60);
    table
        .lines()
        .map(|line| line.replace('⏎', "\n").replace('␍', "\r"))
}

#[track_caller]
fn assert_refused(script: &str, judged: &ScriptVerdict<'_>) {
    let reason = judged.as_ref().expect_err(script);
    // It says what to write instead.
    assert!(
        reason.contains(" in a script of ") && reason.contains(": "),
        "{script}: {reason}"
    );
}

const AWK_PASSES: &str = r#"{ print $1 }
{print}
1
NR>1
$3 > 5 { print }
/a/ || /b/
/ERROR|WARN/
/ERROR|WARN/ {print NR": "$0}
/^(a|b)/ {print NR": "$0}
{ print $1 " | " $2 }
{ print ">" $1 }
{ print }⏎NR > 5 { n++ }
{ print; if (a > b) c++ }
{ print (a > b) }
{ print (a > b ? c : d) }
{ print a, (b > c) }
{ print a >= b }
{ printf("%s\n", $1) }
{ printf "%d|%s\n", NR, $0 }
{ print $1/1024/1024 }
{ s += $1/2 } END { print s/NR/2 }
{ print (a+b)/c/d }
{ print x[1]/2/3 }
{ print 1/2/3, "4"/5/6 }
{ x /= 2; y /= 3 }
{ if ($1 ~ /a\/b/) print }
/[^\/]+$/ { print }
/[[:space:]]*#/ {next}
/[]>]/ {print}
/[a[b]/ {print}
$0 ~ /[\[\]]/ {print "|"}
/[\\]/ {print}
/[^\]]x/
/[\[\]\/]/
/\// {print}
$0 !~ /x|y/ {print}
/a/,/b/
!/a/
/a/&&/b/
{ a = /x/ ? "y|" : "z>" }
{ split($0, a, /[|>]/); print a[1] }
{ gsub(/"/, "\""); print }
{ gsub(/[.]/, " | "); print }
{ print substr($0, index($0, "|")) }
BEGIN { FS = "|"; OFS = ">" } { print $2 }
BEGIN { while (i++ < 3) print i }
{ for (i = 1; i <= NF; i++) if ($i > max) max = $i } END { print max }
{ for (k in a) print k, a[k] }
function f(a, b) { return a > b ? a : b } { print f($1, $2) }
{ a[$1]++ } END { for (k in a) print a[k], k }
!seen[$0]++
{ getline; print }
{ getline x; print x }
{ while ((getline line) > 0) n++ }
{ if ((getline) < 1) exit }
{ getline; if (a < b) print }
# system("x")⏎{ print }
{ print } # | sh
{ print "system(1)" }
{ print "a\"b > c" }
{ print "\\" }
{ close("x"); fflush() }
{ print a,⏎ b }
{ print a \⏎ b }
BEGIN { PROCINFO["sorted_in"] = "@ind_str_asc" }
BEGIN { print 1e5, 0x1F, .5, 1.5e-3 }
{ print toupper(substr($1,1,1)) tolower(substr($1,2)) }
{ n = split($0, p, "/"); print p[n] }
{ print $NF }
{ $3 = ""; print }
{ print -$1, !$2, $1 ^ 2, $1 % 3, $1 ** 2 }
{ print a++ + ++b, c-- - --d }
{ printf "%5.2f%%\n", $1 / $2 * 100 }"#;

const AWK_REFUSED: &str = r#"BEGIN { system("x") }
BEGIN { system ("x") }
BEGIN { x = 1; y = system("x") }
{ system("rm " $1) }
awk::system("x")
{ print | "sh" }
{ print "x" | "sh" }
{ print|"sh" }
{ print ("x") | cmd }
{ printf("x") | "sh" }
BEGIN { "date" | getline }
BEGIN { "date" | getline d; print d }
BEGIN { cmd | getline }
BEGIN { while (("ls" | getline f) > 0) print f }
BEGIN { print |& "sh" }
BEGIN { "/inet/tcp/0/x/80" |& getline }
BEGIN { print "x" > "/inet/tcp/0/x/80" }
BEGIN { getline x < "/inet/tcp/0/x/80" }
{ print > $1 }
{ print > $1".txt" }
{ print > x }
{ print > "a" x }
{ print > ("a") }
{ print > "a" "b" }
{ print > "a" ? "b" : "c" }
{ print > "a" && b }
{ print > "\x61" }
{ print > "" }
{ print > "-" }
{ print a, b > c }
{ print a > b }
{ print a > b ? c : d }
{ print (a) > b }
{ print (a)(b) > c }
{ print(1, 2) > c }
{ print a,⏎ b > c }
{ print a &&⏎ b > c }
{ print a \⏎ > c }
{ print x[a > b] }
{ print >> x }
{ print >>x }
{ printf "x" > x }
{ printf("x") > x }
{ if (1) print > x }
{ if (a) b; else print > x }
BEGIN { for (;;) print > x }
function f() { print > x } BEGIN { f() }
{ x = 1e5; print > x }
BEGIN { getline < x }
BEGIN { getline line < x }
BEGIN { while ((getline line < f) > 0) n++ }
BEGIN { getline a[1] < x }
BEGIN { getline < "a" x }
BEGIN { getline < ("a") }
BEGIN { getline < ARGV[1] }
BEGIN { getline $1 < f }
BEGIN { f(getline, 1 < x) }
@include "x"
@load "filefuncs"
BEGIN { @f() }
BEGIN { f = "system"; @f("x") }
@namespace "x"
BEGIN { print ENVIRON["X"] }
BEGIN { for (k in ENVIRON) print k }
BEGIN { ARGV[1] = "/etc/passwd"; ARGC = 2 }
BEGIN { split("a b", ARGV) }
BEGIN { ARGC = 3 }
BEGIN { SYMTAB["x"] = 1 }
BEGIN { print FUNCTAB["x"] }
BEGIN { extension("x", "y") }
{ if (x) /"/; system("x") #/" }
{ length /"/; y; #/"}
{ a++ /"/; y #/"}
{ getline /"/; y #/"}
/[/]/ { x }
/[/"]/; system("x") #"]/
/[\]/]/ {x}
/a/ /b/
/[[.].]/]/
/a⏎b/
/a
"a
{ print "a⏎b" }
{ print "a\⏎b" }
{ x = "\"; system("y") }
{ x = /\/; system("y") }
{ x = a/b; system("y") # / }
{ x = 1system("y") }
{ x = 1e5system("y") }
{ x = 0xfsystem("y") }
{ x = 1getline }
# c \⏎{ print }
{ print ) }
( { print > "x" }
(print > x)
{ x = `y` }
{ x = 'y' }
{ x = é }
{ \ print }
\
{ print a }␍⏎
{ exit /"/; system("x") #/" }
{ x in /"/; y #/" }
{ else /"/; y #/" }
{ (a) ? /"/ : system("x") #/" }"#;

const JQ_PASSES: &str = r#".
.a
.env
.env.PATH
.a.env
.a | .env
.[].env
.["env"]
."env"
.a."env".b
..
.. | .env?
"env"
"$ENV"
"import"
"a\"env"
"\\", .a
"\u0065nv"
"\(.env)"
"a \(.b + "env") env"
"\("\(.a)") env \(.b)"
@sh "env \(.env)"
@base64d
.a | @json
@text "\([.a, {b: 1}])"
{env}
{env: 1}
{ env : .a }
{a: 1, env}
{a, env, b}
{env,a}
{"env": 1}
{(.a): 1}
{$env}
{$__loc__}
$__loc__
{a: {env}}
{import: 1, include}
{if: 1, env: 2}
{a: (1, 2), env: 3}
{a: [1, 2], env}
.env = $env
$env
$env.a
[$env, $a]
. as {env: $e} | $e
. as {$env} | $env
. as [$a, {env: $b}] ?// $a | $a
reduce .[] as $x (0; . + $x)
foreach .[] as $x (0; . + $x; [$x, .])
label $env | .[] | if . > 1 then ., break $env else . end
limit(3; .[])
first(inputs)
[inputs | .env]
input
input_line_number
input_filename
getpath(["env"])
ltrimstr("env")
splits("env")
halt_error
debug
stderr
halt
now | todate
if .env then .a elif .b then 1 else {env: 1} end
def f(x): x * 2; f(.env)
def f: 1; def g(x; y): 2; {a: f, env}
.a # env⏎| .b
# import⏎.
.a//.b
.a //= 1
.a?
try error("env") catch .
.a[1:3]
.[-1]
1.5e3 + .a
.5
test("env"; "i")
to_entries | map(select(.key | startswith("env"))) | from_entries
environment
my_env
$environment
$ENVIRONMENT
.ENV
""
.scripts | keys[]
map({name, env: .env.NAME})
[.[] | {(.name): .env}] | add
.a as $import | $import
path(..)
tojson
ascii_downcase
"a⏎b""#;

const JQ_REFUSED: &str = r#"env
env.PATH
env | keys
.a, env
.[env.X]
(env)
[env]
{a: env}
{a: env.X}
{(env.X): 1}
{env: env}
{a: 1, b: env}
{env, a: env}
{"\(env)": 1}
"\(env)"
"\(env.X)"
"a\("b\(env)")"
"\(.a)\(env)"
"\\\(env)"
@sh "\(env)"
@json "\($ENV)"
$ENV
$ENV.PATH
$ENV["X"]
$ ENV
$⏎ENV
$ # c⏎ENV
{$ENV}
{a: $ENV}
[$ENV]
"\($ENV.X)"
$__prog_args
.a + env
map(env)
def f: env; f
def env: 1; env
. env
.a env
..|env
. as $x | env
if env then 1 else 2 end
if 1 then env else 2 end
{a: if 1, env, 2 then 1 else 2 end}
{a: if 1, env: 2}
reduce env as $x (0; 1)
foreach env as $x (0; 1)
first(env)
limit(1; env)
try env
try error catch env
-env
env?
env//1
1//env
env as $x | $x
env as {$PATH} | $PATH
label $f | env
import "a" as a; .
import "a" as $a; $a
include "a"; .
include "a" {search: ".."}; .
modulemeta
"a" | modulemeta
get_search_list
# c⏎env
# c \⏎env
. # c\
# c␍ env
.a # "⏎| env # "
"a
"\(.a"
(.a]
.a)
{a: 1)
`env`
'env'
a\b
é
a::env
{a:1}|env
{a} | env
{a: "\(1, env)"}
.[1, env, 2]
(1, env, 2)
f(1, env)
getpath(["a", env.X])
input, env
{a: def f: 1, env, 2; f}
{a: def f: 1, env: 2; f}
{end: 1, a: if {end: 1}, env, 2 then 1 else 2 end}
..env.X | env"#;

#[test]
fn awk_may_compute_and_print() {
    for script in scripts(AWK_PASSES) {
        assert_eq!(awk(&script), Ok(vec![]), "{script}");
    }
    for script in scripts(AWK_REFUSED) {
        assert_refused(&script, &awk(&script));
    }
}

#[test]
fn jq_may_read_its_input_and_nothing_else() {
    for script in scripts(JQ_PASSES) {
        assert_eq!(jq(&script), Ok(vec![]), "{script}");
    }
    for script in scripts(JQ_REFUSED) {
        assert_refused(&script, &jq(&script));
    }
}

#[test]
fn awk_names_the_files_that_it_reads_and_writes() {
    let (read, write) = (Role::Read, Role::Write);
    for (script, files) in [
        ("{ print > \"a.txt\" }", vec![(write, "a.txt")]),
        ("{print>\"a.txt\"}", vec![(write, "a.txt")]),
        (
            "{ print $1, $2 >> \"out/a b.txt\" }",
            vec![(write, "out/a b.txt")],
        ),
        (
            "{ printf(\"%s\", $1) > \"/dev/stderr\"; print }",
            vec![(write, "/dev/stderr")],
        ),
        ("{ print (a > b) > \"c\" }", vec![(write, "c")]),
        ("{ print (a)(b) > \"c\" # so\n}", vec![(write, "c")]),
        (
            "/x/ { print > \"x\"; next } { print > \"y\" }",
            vec![(write, "x"), (write, "y")],
        ),
        ("{ print a,\n b > \"c\" }", vec![(write, "c")]),
        ("{ print a > \"../b\"\n}", vec![(write, "../b")]),
        ("BEGIN { getline < \"a\" }", vec![(read, "a")]),
        (
            "BEGIN { while ((getline line < \"/etc/passwd\") > 0) print line }",
            vec![(read, "/etc/passwd")],
        ),
        (
            "BEGIN { getline x[1] < \"a\"; print > \"b\" }",
            vec![(read, "a"), (write, "b")],
        ),
        ("BEGIN { f(getline, 1 < \"a\") }", vec![(read, "a")]),
        ("BEGIN { getline x; if (x < \"a\") print }", vec![]),
    ] {
        assert_eq!(awk(script), Ok(files), "{script}");
    }
}

#[test]
fn an_operand_of_awk_may_be_an_assignment() {
    assert!(is_assignment("x=1") && is_assignment("OFS=../a") && is_assignment("_1="));
    assert!(
        !is_assignment("a.txt")
            && !is_assignment("./x=1")
            && !is_assignment("1x=1")
            && !is_assignment("=1")
            && !is_assignment("a::b=1")
    );
}

#[test]
fn sed_may_change_text_and_nothing_else() {
    for script in [
        "1,20p",
        "s/a/b/g",
        "/fn main/,/^}/p",
        "s|a/b|c/d|",
        "$!N;P;D",
        ":a;N;$!ba;s/\\n/ /g",
        "/x/{s/a/b/;p}",
        "/x/a after it",
        "1i\\\nfirst",
        "$a last",
        "/x/{n;d}",
        "2q",
        "s/[[:space:]]*$//",
        "y/abc/xyz/",
        "/a/!d",
        "s/x/[/",
        "# a comment\np",
        "s/[^\\/]*$//",
        "s/[\\[\\]]//",
        "s,[[:alpha:]_],x,",
        "s/[a[b]/x/",
    ] {
        assert_eq!(sed(script), Ok(vec![]), "{script}");
    }
    for script in [
        "s/[][]//",
        "s/[[]//;e rm",
        "s/[^/]*$//",
        "s:[[:alpha:]]:x:",
        "# a comment\ne rm",
        "#\n1e rm",
        "1e rm x",
        "s/x/rm y/e",
        "s/[/]/x/;1e rm y;s/[/]/x/",
        "a\\",
        "/x/{p;e rm\n}",
        "s/a/b/ge",
        "a hi\nw x",
        "v;e rm",
        "a text\\\\\nw x",
        "a\\\nfirst\\\nw x",
        "s/[[.].]/]/;s,/;1e rm #,x,",
    ] {
        assert!(sed(script).is_err(), "{script}");
    }
}

#[test]
fn sed_names_the_files_that_it_reads_and_writes() {
    let (read, write) = (Role::Read, Role::Write);
    for (script, files) in [
        (
            "s/a/b/w build/changed.txt",
            vec![(write, "build/changed.txt")],
        ),
        ("s/a/b/gpw x", vec![(write, "x")]),
        ("s/a/b/wx", vec![(write, "x")]),
        ("w /tmp/x", vec![(write, "/tmp/x")]),
        ("1r /etc/passwd", vec![(read, "/etc/passwd")]),
        ("w a b.txt", vec![(write, "a b.txt")]),
        // The rest of the line is part of the name.
        ("/x/{w a; p}\n}", vec![(write, "a; p}")]),
        ("w x # y", vec![(write, "x # y")]),
        ("/x/{w a\np\nr b\n}", vec![(write, "a"), (read, "b")]),
        ("1!{w x\n}", vec![(write, "x")]),
        ("p;$r b", vec![(read, "b")]),
        ("W x", vec![(write, "x")]),
        ("R x", vec![(read, "x")]),
        ("s/a/b/;s/c/d/w ../e", vec![(write, "../e")]),
        ("a w x", vec![]),
        ("s/a/w x/", vec![]),
    ] {
        assert_eq!(sed(script), Ok(files), "{script}");
    }
    for script in [
        "w",
        "w -",
        "r ",
        "w \n",
        "s/a/b/w",
        "s/a/b/w\nx",
        "w a\\nb",
        "w \u{b}x",
        "y/a/b/w x",
        "w x\ne rm",
        "s/a/b/we\n1e rm",
        "w x\ns/a/b/e",
    ] {
        let reason = sed(script).expect_err(script);
        assert!(reason.contains(": "), "{script}: {reason}");
    }
    assert!(
        sed("p;s/a/b/e")
            .unwrap_err()
            .contains("`s/a/b/e` in a script of sed runs a program")
    );
}
