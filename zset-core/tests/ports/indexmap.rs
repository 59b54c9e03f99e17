//! A list of an editor's recent documents in an `IndexMap`, and its port to `SortedMap`.
//!
//! In the port, the score is a counter that increases whenever a document is opened, so documents
//! are in the order in which they were last opened. Moving a document to the end, or removing one
//! from the middle, costs O(log n) instead of O(n).

use super::random_numbers;

/// The position of the cursor, which the editor restores.
type Cursor = u64;

const MAX_DOCUMENTS: usize = 20;

/// The original, with the most recently opened document last.
#[derive(Default)]
struct Original {
    documents: indexmap::IndexMap<String, Cursor>,
}

impl Original {
    fn open(&mut self, path: &str) -> Cursor {
        let cursor = self.documents.shift_remove(path).unwrap_or(0);
        self.documents.insert(path.to_string(), cursor);
        if self.documents.len() > MAX_DOCUMENTS {
            self.documents.shift_remove_index(0);
        }
        cursor
    }

    fn set_cursor(&mut self, path: &str, cursor: Cursor) {
        if let Some(stored) = self.documents.get_mut(path) {
            *stored = cursor;
        }
    }

    fn forget(&mut self, path: &str) -> Option<Cursor> {
        self.documents.shift_remove(path)
    }

    /// Returns the position of a document in the menu; the most recently opened one is at 0.
    fn place(&self, path: &str) -> Option<usize> {
        let index = self.documents.get_index_of(path)?;
        Some(self.documents.len() - 1 - index)
    }

    fn at_place(&self, place: usize) -> Option<(&str, Cursor)> {
        let index = self.documents.len().checked_sub(place + 1)?;
        self.documents.get_index(index).map(|(path, cursor)| (path.as_str(), *cursor))
    }

    fn menu(&self) -> Vec<&str> {
        self.documents.keys().rev().map(String::as_str).collect()
    }
}

/// The port to `SortedMap`.
#[derive(Default)]
struct Port {
    documents: zset_core::SortedMap<String, Cursor, u64>,
    openings: u64,
}

impl Port {
    fn open(&mut self, path: &str) -> Cursor {
        self.openings += 1;
        if self.documents.set_score(path, self.openings).is_none() {
            self.documents.insert(path.to_string(), 0, self.openings);
            if self.documents.len() > MAX_DOCUMENTS {
                self.documents.pop_first();
            }
        }
        self.documents.get(path).copied().unwrap_or(0)
    }

    fn set_cursor(&mut self, path: &str, cursor: Cursor) {
        if let Some(stored) = self.documents.get_mut(path) {
            *stored = cursor;
        }
    }

    fn forget(&mut self, path: &str) -> Option<Cursor> {
        self.documents.remove(path).map(|(cursor, _)| cursor)
    }

    fn place(&self, path: &str) -> Option<usize> {
        self.documents.rev_rank(path)
    }

    fn at_place(&self, place: usize) -> Option<(&str, Cursor)> {
        let (path, cursor, _) = self.documents.iter().nth_back(place)?;
        Some((path.as_str(), *cursor))
    }

    fn menu(&self) -> Vec<&str> {
        self.documents.iter().rev().map(|(path, ..)| path.as_str()).collect()
    }
}

#[test]
fn an_order_of_insertion_becomes_a_score() {
    let (mut original, mut port) = (Original::default(), Port::default());
    let mut numbers = random_numbers(2);
    for _ in 0..3000 {
        let mut number = |below| numbers.next().unwrap() % below;
        let path = format!("{}.txt", number(30));
        match number(5) {
            0 => assert_eq!(original.forget(&path), port.forget(&path)),
            1 | 2 => {
                let cursor = number(1000);
                original.set_cursor(&path, cursor);
                port.set_cursor(&path, cursor);
            }
            _ => assert_eq!(original.open(&path), port.open(&path)),
        }
        let place = number(MAX_DOCUMENTS as u64) as usize;
        assert_eq!(original.at_place(place), port.at_place(place));
        assert_eq!(original.place(&path), port.place(&path));
        assert_eq!(original.menu(), port.menu());
    }
    assert!(port.menu().len() > 5);
}
