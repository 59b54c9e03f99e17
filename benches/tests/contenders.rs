//! A contender that answers wrongly is measured in vain: all must give the same answers.

use zset_bench::contender::Contender;
use zset_bench::contenders::{Visitor, visit_all};
use zset_bench::workload::{Operation, RANGE, Workload, elements};

const N: usize = 2_000;

/// What a contender holds and answers.
#[derive(PartialEq, Debug)]
struct Answers {
    len: usize,
    scores: Vec<Option<f64>>,
    sums: Vec<u64>,
    popped: Vec<Option<(u64, f64)>>,
}

struct Questions {
    answers: Vec<(&'static str, Answers)>,
}

impl Visitor for Questions {
    fn visit<C: Contender>(&mut self) {
        let mut contender = C::new();
        assert!(contender.is_empty());
        for (member, score) in elements(N, 7) {
            // Rounded, so that there are ties.
            contender.insert(member, (score / 4.0).round());
        }
        // Same members, other scores.
        for ((member, _), (_, score)) in elements(N, 7).into_iter().zip(elements(N / 2, 8)) {
            contender.update(member, score);
        }
        let scores = elements(N, 7).iter().map(|&(member, _)| contender.score(member)).collect();
        let sums = (0..20).map(|i| contender.sum_from(f64::from(i * 100), RANGE)).collect();
        check_ranks(&contender);
        let len = contender.len();
        let popped = (0..=N).map(|_| contender.pop_first()).collect();
        self.answers.push((C::NAME, Answers { len, scores, sums, popped }));
    }
}

/// Checks that rank and select are each other's inverse, and follow the order of the elements.
fn check_ranks<C: Contender>(contender: &C) {
    if !C::HAS_RANK {
        return;
    }
    let mut last = None;
    for rank in 0..N {
        let (member, score) = contender.select(rank).expect("the rank is below the length");
        assert!(last < Some((score, member)), "{}: rank {rank} is out of order", C::NAME);
        assert_eq!(contender.rank(member), Some(rank), "{}", C::NAME);
        last = Some((score, member));
    }
    assert_eq!(contender.select(N), None, "{}", C::NAME);
}

#[test]
fn all_contenders_give_the_same_answers() {
    let mut questions = Questions { answers: Vec::new() };
    visit_all(&mut questions);
    let (_, expected) = &questions.answers[0];
    assert_eq!(expected.len, N);
    for (name, answers) in &questions.answers {
        assert!(answers == expected, "{name} answers otherwise");
    }
}

struct Lengths(Vec<usize>);

impl Visitor for Lengths {
    fn visit<C: Contender>(&mut self) {
        let workload = Workload::new(N, 1);
        let mut contender = workload.load::<C>();
        for operation in Operation::ALL.into_iter().filter(|&it| it != Operation::Insert) {
            workload.run(operation, &mut contender);
            if operation.only_reads() {
                assert_eq!(contender.len(), N);
            }
        }
        self.0.push(contender.len());
    }
}

#[test]
fn a_workload_leaves_half_of_each_set() {
    let mut lengths = Lengths(Vec::new());
    visit_all(&mut lengths);
    assert!(lengths.0.iter().all(|&len| len == N / 2), "{:?}", lengths.0);
}
