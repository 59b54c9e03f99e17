//! A leaderboard built from a `BTreeMap` and a `HashMap`, and its port to `SortedMap`.
//!
//! The port needs one collection instead of two that must be kept consistent. It finds a rank in
//! O(log n) instead of O(n).

use super::random_numbers;

type Player = u64;
type Points = u64;

/// The time at which a player was last on the board.
type Time = u64;

/// The original: the players in order, and the points of each player.
#[derive(Default)]
struct Original {
    by_points: std::collections::BTreeMap<(Points, Player), Time>,
    points: std::collections::HashMap<Player, Points>,
}

impl Original {
    fn set(&mut self, player: Player, points: Points, now: Time) -> Option<(Time, Points)> {
        let old = self.remove(player);
        self.points.insert(player, points);
        self.by_points.insert((points, player), now);
        old
    }

    fn remove(&mut self, player: Player) -> Option<(Time, Points)> {
        let points = self.points.remove(&player)?;
        let time = self.by_points.remove(&(points, player))?;
        Some((time, points))
    }

    fn place(&self, player: Player) -> Option<usize> {
        let points = *self.points.get(&player)?;
        Some(self.by_points.range((points, player)..).skip(1).count())
    }

    fn best(&self) -> Option<(Player, Points)> {
        self.by_points.last_key_value().map(|(&(points, player), _)| (player, points))
    }

    /// Returns the players with points in a range, and their times.
    fn between(&self, from: Points, to: Points) -> Vec<(Player, Time)> {
        if from > to {
            return Vec::new(); // `range` would panic
        }
        let players = self.by_points.range((from, 0)..=(to, Player::MAX));
        players.map(|((_, player), time)| (*player, *time)).collect()
    }

    /// Removes the players with fewer points than this.
    fn relegate(&mut self, points: Points) -> Vec<Player> {
        let stay = self.by_points.split_off(&(points, 0));
        let relegated = std::mem::replace(&mut self.by_points, stay);
        for (_, player) in relegated.keys() {
            self.points.remove(player);
        }
        relegated.into_keys().map(|(_, player)| player).collect()
    }
}

/// The port to `SortedMap`.
#[derive(Default)]
struct Port {
    players: zset_core::SortedMap<Player, Time, Points>,
}

impl Port {
    fn set(&mut self, player: Player, points: Points, now: Time) -> Option<(Time, Points)> {
        self.players.insert(player, now, points)
    }

    fn remove(&mut self, player: Player) -> Option<(Time, Points)> {
        self.players.remove(&player)
    }

    fn place(&self, player: Player) -> Option<usize> {
        self.players.rev_rank(&player)
    }

    fn best(&self) -> Option<(Player, Points)> {
        self.players.last().map(|(player, _, points)| (*player, *points))
    }

    fn between(&self, from: Points, to: Points) -> Vec<(Player, Time)> {
        let players = self.players.range_by_score(from..=to);
        players.map(|(player, time, _)| (*player, *time)).collect()
    }

    fn relegate(&mut self, points: Points) -> Vec<Player> {
        self.players.drain_by_score(..points).map(|(player, ..)| player).collect()
    }
}

#[test]
fn a_board_of_two_maps_becomes_one() {
    let (mut original, mut port) = (Original::default(), Port::default());
    let mut numbers = random_numbers(1);
    for step in 0..3000 {
        let mut number = |below| numbers.next().unwrap() % below;
        let (player, points) = (number(200), number(50));
        match number(10) {
            0 => assert_eq!(original.remove(player), port.remove(player)),
            1 => {
                let to = number(50);
                assert_eq!(original.between(points, to), port.between(points, to));
            }
            2 if step % 10 == 0 => assert_eq!(original.relegate(points), port.relegate(points)),
            _ => assert_eq!(original.set(player, points, step), port.set(player, points, step)),
        }
        assert_eq!(original.place(player), port.place(player));
        assert_eq!(original.best(), port.best());
    }
    assert!(port.players.len() > 10);
}
