//! Maia as an agent.

use super::maia::{ABSENT, imported, said};
use games::Position as _;
use games::chess::{Chess, ChessPosition};
use play::{Agent, Player};
use train::inference::Situation;

#[test]
fn maia_as_an_agent_plays_the_moves_that_lc0_likes_most_with_it() {
    let dir = tempfile::tempdir().expect("a folder");
    let Some(loaded) = imported(dir.path()) else {
        eprintln!("{ABSENT}");
        return;
    };
    let said = said();
    let situations: Vec<Situation<Chess>> = said
        .iter()
        .map(|said| {
            let start = ChessPosition::parse(&said.startfen).expect("a position");
            let mut situation: Situation<Chess> = Situation::of_run(start, &loaded.config);
            for text in &said.moves {
                let mv = situation.position().parse_move(text).expect("a legal move");
                situation.play(mv);
            }
            situation
        })
        .collect();
    let mut stream = streams::stream(0, &["test"]);
    let player = Player::new(&loaded, Agent::POLICY);
    let decisions = player.decide(&situations.iter().collect::<Vec<_>>(), &mut stream).expect("decisions");
    for ((said, situation), decision) in said.iter().zip(&situations).zip(&decisions) {
        let best = said.policy.iter().max_by(|(_, a), (_, b)| a.total_cmp(b)).expect("a move").0;
        // Lc0 writes castling as the king's capture of its rook.
        let best = situation.position().parse_move(best).expect("a legal move");
        assert_eq!(decision.text(), Some(situation.position().move_text(best).as_str()), "{}", said.startfen);
    }
}
