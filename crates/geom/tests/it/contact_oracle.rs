//! First contacts of moving features, decided slowly and plainly: Sturm's chains, the textbook's conditions, and every
//! candidate looked at. Shares nothing with the library but the question.

use dashu_int::IBig;
use dashu_int::ops::{Abs, Gcd};
use std::cmp::Ordering;

/// Coefficients of `1, t, t², …`.
type Poly = Vec<IBig>;
type Vector = [Poly; 3];

/// Control points of a Bézier curve with whole coordinates.
pub(crate) type Controls = Vec<[i64; 3]>;

fn trimmed(mut p: Poly) -> Poly {
    while p.last().is_some_and(|last| *last == IBig::ZERO) {
        p.pop();
    }
    p
}

fn add(a: &Poly, b: &Poly, sign: i64) -> Poly {
    let at = |p: &Poly, i: usize| p.get(i).cloned().unwrap_or(IBig::ZERO);
    trimmed((0..a.len().max(b.len())).map(|i| at(a, i) + at(b, i) * IBig::from(sign)).collect())
}

fn multiply(a: &Poly, b: &Poly) -> Poly {
    let mut product = vec![IBig::ZERO; (a.len() + b.len()).saturating_sub(1)];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            product[i + j] += x * y;
        }
    }
    trimmed(product)
}

fn subtract(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|i| add(&a[i], &b[i], -1))
}

fn dot(a: &Vector, b: &Vector) -> Poly {
    (0..3).fold(Vec::new(), |sum, i| add(&sum, &multiply(&a[i], &b[i]), 1))
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|i| {
        let (y, z) = ((i + 1) % 3, (i + 2) % 3);
        add(&multiply(&a[y], &b[z]), &multiply(&a[z], &b[y]), -1)
    })
}

/// `Σ (n over i) b_i tⁱ (1 − t)ⁿ⁻ⁱ`, multiplied out.
fn path(controls: &[[i64; 3]]) -> Vector {
    let n = controls.len() - 1;
    let power = |base: [i64; 2], times: usize| {
        let base: Poly = base.iter().map(|&c| IBig::from(c)).collect();
        (0..times).fold(vec![IBig::ONE], |p, _| multiply(&p, &base))
    };
    std::array::from_fn(|axis| {
        let mut sum = Vec::new();
        let mut choose = 1_i64;
        for (i, point) in controls.iter().enumerate() {
            let basis = multiply(&power([0, 1], i), &power([1, -1], n - i));
            sum = add(&sum, &multiply(&basis, &vec![IBig::from(choose * point[axis])]), 1);
            choose = choose * (n - i) as i64 / (i as i64 + 1);
        }
        trimmed(sum)
    })
}

/// A time: the dyadic number `low / 2^digits` itself, or the only root of a polynomial between that and
/// `(low + 1) / 2^digits`.
#[derive(Clone)]
struct Time {
    low: IBig,
    digits: usize,
    /// The polynomial, whose roots are simple, and its sign at the upper end.
    root: Option<(Poly, Ordering)>,
}

fn sign(number: &IBig) -> Ordering {
    number.cmp(&IBig::ZERO)
}

/// The sign at `at / 2^digits`.
fn sign_at(p: &Poly, at: &IBig, digits: usize) -> Ordering {
    let mut sum = IBig::ZERO;
    for (i, coefficient) in p.iter().rev().enumerate() {
        sum = sum * at + (coefficient << (digits * i));
    }
    sign(&sum)
}

/// The remainder of a division, times a positive number; without its content.
fn remainder(a: &Poly, b: &Poly) -> Poly {
    let mut rest = a.clone();
    let last = b.last().expect("a divisor is not zero");
    while rest.len() >= b.len() {
        let top = rest.pop().expect("longer than the divisor");
        let shift = rest.len() + 1 - b.len();
        let factor = if *last < IBig::ZERO { -top } else { top };
        rest.iter_mut().for_each(|c| *c *= last.clone().abs());
        for (j, c) in b[..b.len() - 1].iter().enumerate() {
            rest[shift + j] -= &factor * c;
        }
    }
    let rest = trimmed(rest);
    let content = rest.iter().fold(IBig::ZERO, |g, c| match (g == IBig::ZERO, *c == IBig::ZERO) {
        (true, _) => c.clone().abs(),
        (_, true) => g,
        _ => IBig::from((&g).gcd(c)),
    });
    rest.iter().map(|c| c / &content).collect()
}

fn common(a: &Poly, b: &Poly) -> Poly {
    let (mut a, mut b) = (a.clone(), b.clone());
    while !b.is_empty() {
        let rest = remainder(&a, &b);
        a = std::mem::replace(&mut b, rest);
    }
    a
}

fn derivative(p: &Poly) -> Poly {
    p.iter().enumerate().skip(1).map(|(i, c)| c * IBig::from(i)).collect()
}

/// `p / by`, times a number.
fn quotient(p: &Poly, by: &Poly) -> Poly {
    let lead = by.last().expect("a divisor is not zero");
    let steps = p.len() + 1 - by.len();
    let mut rest: Poly = p.iter().map(|c| (0..steps).fold(c.clone(), |c, _| c * lead)).collect();
    let mut quotient = vec![IBig::ZERO; steps];
    for i in (0..steps).rev() {
        quotient[i] = &rest[i + by.len() - 1] / lead;
        for (j, c) in by.iter().enumerate() {
            rest[i + j] -= &quotient[i] * c;
        }
    }
    assert!(rest.iter().all(|c| *c == IBig::ZERO), "the divisor is a factor");
    quotient
}

/// Sturm's chain of a polynomial with simple roots.
fn chain(p: &Poly) -> Vec<Poly> {
    let mut chain = vec![p.clone(), derivative(p)];
    while let [.., a, b] = &chain[..]
        && b.len() > 1
    {
        let rest = remainder(a, b);
        chain.push(rest.iter().map(|c| -c).collect());
    }
    chain.retain(|p| !p.is_empty());
    chain
}

/// Roots in `(low, high] / 2^digits`.
fn count(chain: &[Poly], [low, high]: [&IBig; 2], digits: usize) -> usize {
    let variations = |at: &IBig| {
        let signs = chain.iter().map(|p| sign_at(p, at, digits)).filter(|s| *s != Ordering::Equal);
        let signs: Vec<Ordering> = signs.collect();
        signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
    };
    variations(low) - variations(high)
}

/// All different roots in `[0, 1]`, in order.
fn roots(p: &Poly) -> Vec<Time> {
    let mut found = Vec::new();
    if p.len() < 2 {
        return found;
    }
    if sign(&p[0]) == Ordering::Equal {
        found.push(Time::at(0, 0));
    }
    let simple = quotient(p, &common(p, &derivative(p)));
    let chain = chain(&simple);
    isolate(&simple, &chain, IBig::ZERO, 0, &mut found);
    found
}

/// Roots in `(low, low + 1] / 2^digits`.
fn isolate(p: &Poly, chain: &[Poly], low: IBig, digits: usize, found: &mut Vec<Time>) {
    let high = &low + IBig::ONE;
    match count(chain, [&low, &high], digits) {
        0 => {}
        1 => found.push(match sign_at(p, &high, digits) {
            Ordering::Equal => Time { low: high, digits, root: None },
            end => Time { low, digits, root: Some((p.clone(), end)) },
        }),
        _ => {
            let early: IBig = low << 1_usize;
            let late = &early + IBig::ONE;
            isolate(p, chain, early, digits + 1, found);
            isolate(p, chain, late, digits + 1, found);
        }
    }
}

impl Time {
    fn at(low: u32, digits: usize) -> Self {
        Self { low: IBig::from(low), digits, root: None }
    }

    fn narrow(&mut self) {
        let Some((p, end)) = &self.root else { return };
        let middle: IBig = (&self.low << 1_usize) + IBig::ONE;
        self.digits += 1;
        let sign = sign_at(p, &middle, self.digits);
        if sign == *end {
            self.low <<= 1_usize;
            return;
        }
        self.low = middle;
        if sign == Ordering::Equal {
            self.root = None;
        }
    }

    fn sign(&mut self, q: &Poly) -> Ordering {
        if q.is_empty() {
            return Ordering::Equal;
        }
        let mut differs = false;
        loop {
            let Some((p, _)) = &self.root else { return sign_at(q, &self.low, self.digits) };
            let high = &self.low + IBig::ONE;
            let (mut least, mut most) = (IBig::ZERO, IBig::ZERO);
            for (i, coefficient) in q.iter().rev().enumerate() {
                let shifted = coefficient << (self.digits * i);
                least = (&least * &self.low).min(&least * &high) + &shifted;
                most = (&most * &self.low).max(&most * &high) + shifted;
            }
            if least > IBig::ZERO {
                return Ordering::Greater;
            }
            if most < IBig::ZERO {
                return Ordering::Less;
            }
            if !differs && self.digits > 40 {
                let common = common(p, q);
                if common.len() > 1 && count(&chain(&common), [&self.low, &high], self.digits) > 0 {
                    return Ordering::Equal;
                }
                differs = true;
            }
            (0..8).for_each(|_| self.narrow());
        }
    }

    fn is_zero(&mut self, vector: &Vector) -> bool {
        vector.iter().all(|component| self.sign(component) == Ordering::Equal)
    }

    /// Where it is, to within 2⁻⁶⁰.
    fn approximately(&mut self) -> f64 {
        while self.root.is_some() && self.digits < 60 {
            self.narrow();
        }
        let scaled = (&self.low << 60_usize) >> self.digits;
        i64::try_from(scaled).expect("a time is at most 1") as f64 / (1_u64 << 60) as f64
    }
}

/// Whether a point is on a segment.
fn on_segment(p: &Vector, a: &Vector, b: &Vector, time: &mut Time) -> bool {
    let (to_a, to_b) = (subtract(a, p), subtract(b, p));
    time.is_zero(&cross(&to_a, &to_b)) && time.sign(&dot(&to_a, &to_b)) != Ordering::Greater
}

fn in_triangle(p: &Vector, [a, b, c]: &[Vector; 3], time: &mut Time) -> bool {
    let normal = cross(&subtract(b, a), &subtract(c, a));
    if time.sign(&dot(&normal, &subtract(p, a))) != Ordering::Equal {
        return false;
    }
    if time.is_zero(&normal) {
        return [[a, b], [b, c], [c, a]].into_iter().any(|[a, b]| on_segment(p, a, b, time));
    }
    triangle_conditions(p, a, b, c).iter().all(|condition| time.sign(condition) != Ordering::Less)
}

fn triangle_conditions(p: &Vector, a: &Vector, b: &Vector, c: &Vector) -> [Poly; 3] {
    let normal = cross(&subtract(b, a), &subtract(c, a));
    [[a, b], [b, c], [c, a]].map(|[a, b]| dot(&normal, &cross(&subtract(b, a), &subtract(p, a))))
}

/// `u`, `1 − u`, `v`, `1 − v` of the crossing, times the square of the product of the directions.
fn segment_conditions([a0, a1]: &[Vector; 2], [b0, b1]: &[Vector; 2]) -> [Poly; 4] {
    let (e, f, g) = (subtract(a1, a0), subtract(b1, b0), subtract(b0, a0));
    let normal = cross(&e, &f);
    let u = dot(&cross(&g, &f), &normal);
    let v = dot(&cross(&g, &e), &normal);
    let all = dot(&normal, &normal);
    [u.clone(), add(&all, &u, -1), v.clone(), add(&all, &v, -1)]
}

fn segments_meet(a: &[Vector; 2], b: &[Vector; 2], time: &mut Time) -> bool {
    let normal = cross(&subtract(&a[1], &a[0]), &subtract(&b[1], &b[0]));
    if time.sign(&dot(&normal, &subtract(&b[0], &a[0]))) != Ordering::Equal {
        return false;
    }
    if time.is_zero(&normal) {
        return a.iter().any(|p| on_segment(p, &b[0], &b[1], time))
            || b.iter().any(|p| on_segment(p, &a[0], &a[1], time));
    }
    segment_conditions(a, b).iter().all(|condition| time.sign(condition) != Ordering::Less)
}

/// The earliest candidate that is a contact. Candidates are the roots of `lead`; if that is zero at all times, both ends
/// and the roots of all conditions.
fn first(lead: &Poly, conditions: &[Poly], mut contact: impl FnMut(&mut Time) -> bool) -> Option<f64> {
    let mut candidates = Vec::new();
    if lead.is_empty() {
        candidates = vec![Time::at(0, 0), Time::at(1, 0)];
        candidates.extend(conditions.iter().flat_map(roots));
    } else {
        candidates.extend(roots(lead));
    }
    let times =
        candidates.into_iter().filter_map(|mut time| contact(&mut time).then(|| time.approximately()));
    times.reduce(f64::min)
}

fn side_conditions(p: &Vector, a: &Vector, b: &Vector) -> Vec<Poly> {
    let (to_a, to_b) = (subtract(a, p), subtract(b, p));
    let mut conditions = cross(&to_a, &to_b).to_vec();
    conditions.push(dot(&to_a, &to_b));
    conditions
}

/// The first contact of a point with a triangle, to within 2⁻⁶⁰.
pub(crate) fn vertex_face(vertex: &Controls, face: &[Controls; 3]) -> Option<f64> {
    let p = path(vertex);
    let face = face.each_ref().map(|controls| path(controls));
    let [a, b, c] = &face;
    let normal = cross(&subtract(b, a), &subtract(c, a));
    let lead = dot(&normal, &subtract(&p, a));
    let mut conditions = triangle_conditions(&p, a, b, c).to_vec();
    for [a, b] in [[a, b], [b, c], [c, a]] {
        conditions.extend(side_conditions(&p, a, b));
    }
    first(&lead, &conditions, |time| in_triangle(&p, &face, time))
}

/// The first contact of two segments, to within 2⁻⁶⁰.
pub(crate) fn edge_edge(a: &[Controls; 2], b: &[Controls; 2]) -> Option<f64> {
    let a = a.each_ref().map(|controls| path(controls));
    let b = b.each_ref().map(|controls| path(controls));
    let normal = cross(&subtract(&a[1], &a[0]), &subtract(&b[1], &b[0]));
    let lead = dot(&normal, &subtract(&b[0], &a[0]));
    let mut conditions = segment_conditions(&a, &b).to_vec();
    for p in &a {
        conditions.extend(side_conditions(p, &b[0], &b[1]));
    }
    for p in &b {
        conditions.extend(side_conditions(p, &a[0], &a[1]));
    }
    first(&lead, &conditions, |time| segments_meet(&a, &b, time))
}
