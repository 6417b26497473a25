//! Scripts of the judge's language, made at random from a grammar over programs that every system has.

/// Random numbers that are the same for the same seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64, nth: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ nth.wrapping_mul(0xd134_2543_de82_ef95))
    }

    /// splitmix64
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).expect("it is below a usize")
    }

    fn of<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all[self.below(all.len())]
    }

    fn is(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

const READ: [&str; 16] = [
    "a.txt",
    "b.txt",
    "'odd name.txt'",
    "./-dash.txt",
    "names",
    "src/one.rs",
    "src/deep/three.rs",
    "docs/read.md",
    "docs/up",
    "link",
    "into/two.rs",
    "missing",
    "\"src/two.rs\"",
    "./docs/../a.txt",
    "src/./one.rs",
    "odd\\ name.txt",
];
const MANY: [&str; 9] = [
    "*.txt",
    "src/*.rs",
    "docs/*",
    "src/*/*.rs",
    "{a,b}.txt",
    "src/{one,two}.rs",
    "[ab].txt",
    "?.txt",
    "*.none",
];
const WRITTEN: [&str; 9] = [
    "new",
    "out/x",
    "src/new.rs",
    "'new name'",
    "docs/more.md",
    "b.txt",
    "empty/new",
    "deep/er/y",
    "link",
];
const FOLDERS: [&str; 6] = ["src", "docs", "src/deep", "empty", "into", "."];

/// A script, a command a line.
pub(crate) fn script(random: &mut Random) -> Vec<String> {
    let lines = 1 + random.below(5);
    (0..lines).map(|_| command(random, 2)).collect()
}

/// A command, which may hold others.
fn command(random: &mut Random, depth: usize) -> String {
    if depth == 0 || random.is(55) {
        return pipeline(random);
    }
    let mut inner = || command(random, depth - 1);
    let (first, second) = (inner(), inner());
    match random.below(14) {
        0 => format!("{first} && {second}"),
        1 => format!("{first} || {second}"),
        2 => format!("if {first}; then {second}; fi"),
        3 => format!("if ! {first}; then {second}; else {first}; fi"),
        4 => format!(
            "for f in {}; do {}; done",
            words(random),
            with_variable(random)
        ),
        5 => format!("( cd {} && {first}; {second} )", random.of(&FOLDERS)),
        6 => format!("{{ {first}; {second}; }} > {}", random.of(&WRITTEN)),
        7 => format!("f={}; {}", random.of(&READ), with_variable(random)),
        8 => format!("cd {} && {first}", random.of(&FOLDERS)),
        9 => format!(
            "case {} in a*) {first};; *) {second};; esac",
            random.of(&["a.txt", "src", "\"$HOME\""])
        ),
        10 => format!("run{depth}() {{ {first}; }}; run{depth}; {second}"),
        11 => format!("while false; do {first}; done; {second}"),
        12 => format!("sh -c '{}'", pipeline(random).replace('\'', "")),
        _ => format!("x=$({first}); {second}"),
    }
}

fn words(random: &mut Random) -> String {
    match random.below(3) {
        0 => random.of(&MANY).to_owned(),
        1 => format!("{} {}", random.of(&READ), random.of(&READ)),
        _ => random
            .of(&[
                "$(git ls-files src)",
                "$(find src -name '*.rs')",
                "$(ls docs)",
            ])
            .to_owned(),
    }
}

fn with_variable(random: &mut Random) -> String {
    random
        .of(&[
            "cat \"$f\"",
            "cat $f",
            "wc -l \"$f\"",
            "head -n 1 -- \"$f\"",
            "cp \"$f\" copy",
            "echo \"$f\" >> list",
            "test -f \"$f\" && grep -c a \"$f\"",
            "[ -e \"$f\" ] || touch \"$f\"",
            "basename \"$f\"",
        ])
        .to_owned()
}

fn pipeline(random: &mut Random) -> String {
    let mut text = simple(random);
    if random.is(25) {
        let filter = random.of(&[
            "wc -l",
            "sort",
            "sort -u",
            "head -3",
            "tail -n 2",
            "tr a-z A-Z",
            "cut -d: -f1",
            "grep -v x",
            "uniq -c",
            "sed 's/a/b/'",
            "tee copy",
            "tee -a out.log",
            "cat",
            "xargs echo",
            "cat - a.txt",
            "awk '{ print $1 }'",
        ]);
        text = format!("{text} | {filter}");
    }
    if random.is(20) {
        let sign = random.of(&[">", ">>", "2>", "2>>", "> /dev/null 2>", ">|"]);
        text = format!("{text} {sign} {}", random.of(&WRITTEN));
    }
    if random.is(6) {
        text = format!("{text} < {}", random.of(&READ));
    }
    text
}

fn file(random: &mut Random) -> String {
    if random.is(25) {
        random.of(&MANY).to_owned()
    } else {
        random.of(&READ).to_owned()
    }
}

fn simple(random: &mut Random) -> String {
    let (one, two) = (file(random), file(random));
    let (read, write) = (random.of(&READ), random.of(&WRITTEN));
    let folder = random.of(&FOLDERS);
    match random.below(44) {
        0 => format!("cat {one}"),
        1 => format!("cat -n {one} {two}"),
        2 => format!("grep -n a {one}"),
        3 => format!("grep -rn one {folder}"),
        4 => format!("grep -l a {one} {two}"),
        5 => format!("ls {folder}"),
        6 => format!("ls -la {one}"),
        7 => format!("wc -l {one} {two}"),
        8 => format!("head -n 2 {one}"),
        9 => format!("tail -1 {read}"),
        10 => format!("sort {one} -o {write}"),
        11 => format!("sort -k1,1 {one}"),
        12 => format!("sed -n 1p {one}"),
        13 => format!("sed -i s/a/b/ {read}"),
        14 => format!("sed -i.bak -e s/a/b/ {read}"),
        15 => format!("cp {read} {write}"),
        16 => format!("cp {one} {folder}"),
        17 => format!("cp -r {folder} copies"),
        18 => format!("mv {read} {write}"),
        19 => format!("mv {one} {folder}"),
        20 => format!("rm -f {one}"),
        21 => format!("rm -r {folder}/deep"),
        22 => format!("mkdir -p {write}"),
        23 => format!("mkdir {folder}/made"),
        24 => format!("touch {write} {read}"),
        25 => format!("find {folder} -name '*.rs'"),
        26 => format!("find {folder} -type f -exec wc -l {{}} +"),
        27 => format!("find {folder} -name '*.md' -delete"),
        28 => format!("find {folder} -type f | xargs grep -l a"),
        29 => format!("find {folder} -name '*.txt' -print0 | xargs -0 head -1"),
        30 => format!("diff {read} b.txt"),
        31 => format!("cmp a.txt {read}"),
        32 => format!("printf '%s\\n' {one}"),
        33 => format!("echo text > {write}"),
        34 => format!("tar -cf {write} {folder}"),
        35 => format!("gzip -k {read}"),
        36 => format!("chmod +x {read}"),
        37 => format!("test -f {read}"),
        38 => format!("cat <<EOF > {write}\ntext\nEOF"),
        39 => random
            .of(&[
                "git status",
                "git add a.txt",
                "git add src",
                "git ls-files",
                "git diff",
                "git rm -q --cached a.txt",
            ])
            .to_owned(),
        40 => format!("cut -c1-3 {one}"),
        41 => format!("rmdir {folder}"),
        42 => format!("dd if={read} of={write} status=none"),
        _ => random
            .of(&[
                "pwd",
                "true",
                "false",
                "date +%Y",
                "echo *",
                "echo src/*",
                "uname",
                ":",
            ])
            .to_owned(),
    }
}
