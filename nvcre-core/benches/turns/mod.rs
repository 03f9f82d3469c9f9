//! Comparing within one run: the sides take turns, so that a busy machine slows all of them, and medians and ratios
//! are printed, one a line.

use std::time::{Duration, Instant};

/// One turn takes about so long, unless the side itself takes longer.
const TURN: Duration = Duration::from_millis(4);

/// A name and the work.
pub type Side<'a> = (&'static str, Box<dyn FnMut() + 'a>);

/// A ratio to print: target in words, side above the line, side below it.
pub type Ratio = (&'static str, &'static str, &'static str);

/// Lets all sides take their turns and prints their medians and the ratios. `cargo bench` gives every side `rounds`
/// turns; anything else (`cargo test --all-targets`) only wants to see it work. A word on the command line picks sides.
pub fn compare(mut sides: Vec<Side<'_>>, rounds: usize, ratios: &[Ratio]) {
    let bench = std::env::args().any(|a| a == "--bench");
    if let Some(word) = std::env::args().skip(1).find(|a| !a.starts_with('-')) {
        sides.retain(|(name, _)| name.contains(word.as_str()));
    }
    let medians = medians(&mut sides, if bench { rounds } else { 1 });
    for (name, time) in &medians {
        println!("{name:<30} {:>12.1} µs", time.as_secs_f64() * 1e6);
    }
    println!();
    for (target, above, below) in ratios {
        let of = |name: &str| medians.iter().find(|(n, _)| *n == name).map(|(_, t)| t.as_secs_f64());
        if let (Some(above_time), Some(below_time)) = (of(above), of(below)) {
            println!("{above} / {below}: {:.2} {target}", above_time / below_time);
        }
    }
}

fn medians(sides: &mut [Side<'_>], rounds: usize) -> Vec<(&'static str, Duration)> {
    let counts: Vec<u32> = sides
        .iter_mut()
        .map(|(_, run)| {
            let start = Instant::now();
            run();
            let once = start.elapsed().max(Duration::from_nanos(1));
            u32::try_from(TURN.as_nanos() / once.as_nanos()).unwrap_or(1).clamp(1, 10_000)
        })
        .collect();
    let mut times = vec![Vec::with_capacity(rounds); sides.len()];
    for _ in 0..rounds {
        for ((times, (_, run)), count) in times.iter_mut().zip(sides.iter_mut()).zip(&counts) {
            let start = Instant::now();
            for _ in 0..*count {
                run();
            }
            times.push(start.elapsed() / *count);
        }
    }
    let median = |mut times: Vec<Duration>| {
        times.sort();
        times.get(times.len() / 2).copied().unwrap_or_default()
    };
    sides.iter().map(|(name, _)| *name).zip(times.into_iter().map(median)).collect()
}
