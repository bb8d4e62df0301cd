//! Everything that is wrong with a tree: a reader stops at the first problem, so that place is mended and the tree read
//! again.

use super::reader::{Problem, Refusal};
use super::suggest::nearest;
use super::tree::{Content, Node};

/// More problems are not looked for.
const MOST: usize = 50;
/// Maps that are missing inside of each other, up to which a stand-in is made.
const MOST_DEEP: usize = 3;

/// The problems of a tree that `read` refuses, in the order in which it finds them. What may only follow from one of them is
/// not among them.
pub(crate) fn problems<T>(tree: &Node, read: impl Fn(&Node) -> Result<T, Refusal>) -> Vec<Refusal> {
    mended(tree, read).0
}

/// The same, and the tree that `read` accepts once they are mended, if there is one.
pub(crate) fn mended<T>(tree: &Node, read: impl Fn(&Node) -> Result<T, Refusal>) -> (Vec<Refusal>, Option<Node>) {
    let refusal = |tree: &Node| read(tree).err();
    let mender = Mender(&refusal);
    let (mut tree, mut found) = (tree.clone(), Vec::new());
    for _ in 0..MOST {
        let Some(refusal) = mender.0(&tree) else { return (found, Some(tree)) };
        let mended = mender.mended(&tree, &refusal, MOST_DEEP).or_else(|| mender.without_around(&tree, &refusal));
        if !may_follow(&refusal, &found) {
            found.push(refusal);
        }
        let Some(mended) = mended else { break };
        tree = mended;
    }
    (found, None)
}

/// Whether a problem may be gone once the earlier ones are: a meaning that is checked with a stand-in, or a key that is there,
/// misspelt or with a wrong value that was taken out.
fn may_follow(refusal: &Refusal, earlier: &[Refusal]) -> bool {
    let misspelt = |other: &Refusal| match (&refusal.problem, &other.problem) {
        (Problem::Missing(key), Problem::Key(name, valid)) => {
            refusal.key_path == other.key_path && nearest(name, valid.iter().map(String::as_str)) == Some(key.as_str())
        }
        _ => false,
    };
    let was_taken_out =
        |other: &Refusal| matches!(refusal.problem, Problem::Missing(_)) && refusal.culprit() == other.culprit();
    let follows_from = |other: &Refusal| misspelt(other) || was_taken_out(other);
    !earlier.is_empty() && (matches!(refusal.problem, Problem::Meaning(_)) || earlier.iter().any(follows_from))
}

struct Mender<'a>(&'a dyn Fn(&Node) -> Option<Refusal>);

impl Mender<'_> {
    /// The tree without the problem: the invalid part is removed, or a valid value replaces it.
    fn mended(&self, tree: &Node, refusal: &Refusal, depth: usize) -> Option<Node> {
        let culprit = refusal.culprit();
        let mut without = tree.clone();
        without.remove(&culprit);
        if without != *tree && is_past(&culprit, self.0(&without).as_ref()) {
            return Some(without);
        }
        let mut stand_ins = vec![
            Content::Map(Vec::new()),
            Content::List(Vec::new()),
            Content::Text("x".to_owned()),
            Content::Unsigned(1),
        ];
        stand_ins.extend(named(&refusal.problem, tree));
        let mut is_named = matches!(refusal.problem, Problem::Name(..));
        while let Some(content) = stand_ins.pop() {
            let mut changed = tree.clone();
            changed.set(&culprit, Node { content, origin: tree.origin.clone() }).ok()?;
            let next = self.completed(&mut changed, &culprit, depth);
            if is_past(&culprit, next.as_ref()) {
                return Some(changed);
            }
            if let Some(next) = next.filter(|next| !is_named && next.culprit() == culprit) {
                is_named = matches!(next.problem, Problem::Name(..));
                stand_ins.extend(named(&next.problem, tree));
            }
        }
        None
    }

    /// The tree without the innermost part around the problem that can be left out.
    fn without_around(&self, tree: &Node, refusal: &Refusal) -> Option<Node> {
        let culprit = refusal.culprit();
        (1..culprit.len()).rev().find_map(|end| {
            let mut without = tree.clone();
            without.remove(&culprit[..end]);
            (without != *tree && is_past(&culprit[..end], self.0(&without).as_ref())).then_some(without)
        })
    }

    /// Completes a stand-in; returns the remaining problem.
    fn completed(&self, tree: &mut Node, culprit: &[String], depth: usize) -> Option<Refusal> {
        for _ in 0..MOST {
            let next = self.0(tree)?;
            let is_inside = next.culprit().len() > culprit.len() && next.culprit().starts_with(culprit);
            if depth == 0 || !is_inside || !matches!(next.problem, Problem::Missing(_)) {
                return Some(next);
            }
            match self.mended(tree, &next, depth - 1) {
                Some(mended) => *tree = mended,
                None => return Some(next),
            }
        }
        self.0(tree)
    }
}

/// Whether a reader has passed a place: its next problem is neither there, nor inside, nor around it.
fn is_past(place: &[String], next: Option<&Refusal>) -> bool {
    next.is_none_or(|next| {
        let next = next.culprit();
        !next.starts_with(place) && !place.starts_with(&next)
    })
}

/// The first valid name, alone and with options.
fn named(problem: &Problem, tree: &Node) -> Vec<Content> {
    let Problem::Name(_, valid) = problem else { return Vec::new() };
    let Some(name) = valid.first() else { return Vec::new() };
    let options = Node::empty_map(tree.origin.clone());
    vec![Content::Map(vec![(name.clone(), options)]), Content::Text(name.clone())]
}
