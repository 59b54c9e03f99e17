//! All contenders must give the same answers: the time of a contender that answers wrongly is
//! meaningless.

use zset_bench::contender::Contender;
use zset_bench::contenders::{Visitor, visit_all};
use zset_bench::member::Member;
use zset_bench::names;
use zset_bench::operation::Operation;
use zset_bench::workload::{MIN_N, Workload};

const N: usize = 1_500;

/// The combined answers of an operation, and the number of elements afterwards; `None` if not
/// supported.
type Answer = Option<(u64, usize)>;

/// The answers of each contender to a series of operations.
struct Questions<M> {
    workload: Workload<M>,
    answers: Vec<(&'static str, Vec<Answer>)>,
}

impl<M: Member> Visitor<M> for Questions<M> {
    fn visit<C: Contender<M>>(&mut self) {
        let mut set = C::new();
        assert!(set.is_empty());
        let answers = Operation::ALL.map(|operation| {
            let is_offered = C::offers(operation);
            (is_offered || operation == Operation::Insert).then(|| {
                let answer = self.workload.measure(operation, &mut set).answer;
                (answer, set.len())
            })
        });
        self.answers.push((C::NAME, answers.to_vec()));
    }
}

fn compare<M: Member>(n: usize, make_up: fn(u64) -> M) {
    let mut questions = Questions { workload: Workload::new(n, 7, make_up), answers: Vec::new() };
    visit_all(&mut questions);
    let (_, expected) = questions.answers[0].clone();
    assert!(expected.iter().all(Option::is_some), "the subject offers all");
    for (name, answers) in &questions.answers {
        for ((operation, answer), expected) in Operation::ALL.iter().zip(answers).zip(&expected) {
            // A `BinaryHeap` holds duplicate members, so its answers differ; it supports few
            // operations anyway.
            if *name != "BinaryHeap" && answer.is_some() {
                assert_eq!(answer, expected, "{name}: {operation:?}");
            }
        }
    }
}

#[test]
fn all_contenders_give_the_same_answers_for_integers() {
    compare(N, names::scramble);
    // Several sets are built and emptied in a measurement.
    compare(MIN_N, names::scramble);
}

#[test]
fn all_contenders_give_the_same_answers_for_strings() {
    compare(N, names::string);
    compare(N, names::name);
}

#[test]
fn a_workload_leaves_half_of_each_set() {
    struct Lengths(Vec<usize>);

    impl Visitor<u64> for Lengths {
        fn visit<C: Contender<u64>>(&mut self) {
            let workload = Workload::new(N, 1, names::scramble);
            let mut set = workload.load::<C>();
            workload.measure(Operation::PopFirst, &mut set);
            self.0.push(set.len());
        }
    }

    let mut lengths = Lengths(Vec::new());
    visit_all(&mut lengths);
    assert!(lengths.0.iter().all(|&len| len == N / 2), "{:?}", lengths.0);
}
