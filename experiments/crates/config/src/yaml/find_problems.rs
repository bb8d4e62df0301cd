//! Everything that is wrong with a tree: a reader stops at the first problem, so that place is repaired and the tree read
//! again.

use super::reader::{Problem, Refusal};
use super::suggest::nearest;
use super::tree::{Content, Node};

const MAX_PROBLEMS: usize = 50;
/// Maximum nesting of missing maps that are filled in.
const MAX_DEPTH: usize = 3;

/// The problems of a tree that `read` refuses, in the order in which it finds them. What may only follow from one of them is
/// not among them.
pub(crate) fn problems<T>(tree: &Node, read: impl Fn(&Node) -> Result<T, Refusal>) -> Vec<Refusal> {
    repaired(tree, read).0
}

/// The same, and the tree that `read` accepts once they are repaired, if there is one.
pub(crate) fn repaired<T>(tree: &Node, read: impl Fn(&Node) -> Result<T, Refusal>) -> (Vec<Refusal>, Option<Node>) {
    let refusal = |tree: &Node| read(tree).err();
    let repair = Repair(&refusal);
    let (mut tree, mut found) = (tree.clone(), Vec::new());
    for _ in 0..MAX_PROBLEMS {
        let Some(refusal) = repair.0(&tree) else { return (found, Some(tree)) };
        let next = repair.repaired(&tree, &refusal, MAX_DEPTH);
        let next = next.or_else(|| repair.without_enclosing_part(&tree, &refusal));
        if !may_follow(&refusal, &found) {
            found.push(refusal);
        }
        let Some(next) = next else { break };
        tree = next;
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
    let is_missing = matches!(refusal.problem, Problem::Missing(_));
    let was_taken_out = |other: &Refusal| is_missing && refusal.problem_path() == other.problem_path();
    let follows_from = |other: &Refusal| misspelt(other) || was_taken_out(other);
    !earlier.is_empty() && (matches!(refusal.problem, Problem::Meaning(_)) || earlier.iter().any(follows_from))
}

struct Repair<'a>(&'a dyn Fn(&Node) -> Option<Refusal>);

impl Repair<'_> {
    /// The tree without the problem: the invalid part is removed, or a valid value replaces it.
    fn repaired(&self, tree: &Node, refusal: &Refusal, depth: usize) -> Option<Node> {
        let path = refusal.problem_path();
        let mut without = tree.clone();
        without.remove(&path);
        if without != *tree && is_past(&path, self.0(&without).as_ref()) {
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
            changed.set(&path, Node { content, origin: tree.origin.clone() }).ok()?;
            let next = self.completed(&mut changed, &path, depth);
            if is_past(&path, next.as_ref()) {
                return Some(changed);
            }
            if let Some(next) = next.filter(|next| !is_named && next.problem_path() == path) {
                is_named = matches!(next.problem, Problem::Name(..));
                stand_ins.extend(named(&next.problem, tree));
            }
        }
        None
    }

    /// The tree without the innermost part around the problem that can be left out.
    fn without_enclosing_part(&self, tree: &Node, refusal: &Refusal) -> Option<Node> {
        let path = refusal.problem_path();
        (1..path.len()).rev().find_map(|end| {
            let mut without = tree.clone();
            without.remove(&path[..end]);
            (without != *tree && is_past(&path[..end], self.0(&without).as_ref())).then_some(without)
        })
    }

    /// Completes a stand-in; returns the remaining problem.
    fn completed(&self, tree: &mut Node, path: &[String], depth: usize) -> Option<Refusal> {
        for _ in 0..MAX_PROBLEMS {
            let next = self.0(tree)?;
            let is_inside = next.problem_path().len() > path.len() && next.problem_path().starts_with(path);
            if depth == 0 || !is_inside || !matches!(next.problem, Problem::Missing(_)) {
                return Some(next);
            }
            let Some(repaired) = self.repaired(tree, &next, depth - 1) else { return Some(next) };
            *tree = repaired;
        }
        self.0(tree)
    }
}

/// Whether a reader has passed a place: its next problem is neither there, nor inside, nor around it.
fn is_past(place: &[String], next: Option<&Refusal>) -> bool {
    next.is_none_or(|next| {
        let next = next.problem_path();
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
