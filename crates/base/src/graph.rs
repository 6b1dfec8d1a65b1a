//! Searches in graphs whose nodes are numbers.

/// The strongly connected components of those nodes inside a part of a graph that the starts lead to there, successors
/// first (Tarjan 1972, without recursion). The first node of a component is the one that was reached first.
pub fn components(
    successors: &[Vec<usize>],
    starts: impl IntoIterator<Item = usize>,
    inside: impl Fn(usize) -> bool,
) -> Vec<Vec<usize>> {
    let count = successors.len();
    let mut found = Vec::new();
    let (mut index, mut low) = (vec![usize::MAX; count], vec![0; count]);
    let mut open = vec![false; count];
    let mut stack = Vec::new();
    let mut next = 0;
    let mut visit: Vec<(usize, usize)> = Vec::new();
    for start in starts {
        if !inside(start) || index[start] != usize::MAX {
            continue;
        }
        visit.push((start, 0));
        while let Some(&mut (node, ref mut child)) = visit.last_mut() {
            if *child == 0 {
                (index[node], low[node], open[node]) = (next, next, true);
                next += 1;
                stack.push(node);
            }
            if let Some(&successor) = successors[node].get(*child) {
                *child += 1;
                if !inside(successor) {
                } else if index[successor] == usize::MAX {
                    visit.push((successor, 0));
                } else if open[successor] {
                    low[node] = low[node].min(index[successor]);
                }
                continue;
            }
            visit.pop();
            if let Some(&(parent, _)) = visit.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == index[node] {
                let at = stack.iter().rposition(|&n| n == node).expect("a node is on the stack");
                let component = stack.split_off(at);
                component.iter().for_each(|&n| open[n] = false);
                found.push(component);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two nodes are in one component if each leads to the other, and a component comes before those that lead to it.
    #[test]
    fn components_are_what_leads_to_each_other() {
        // All graphs of four nodes.
        for edges in 0u32..1 << 16 {
            let leads = |a: usize, b: usize| edges >> (4 * a + b) & 1 == 1;
            let successors: Vec<Vec<usize>> =
                (0..4).map(|a| (0..4).filter(|&b| leads(a, b)).collect()).collect();
            let mut reach: Vec<Vec<bool>> =
                (0..4).map(|a| (0..4).map(|b| a == b || leads(a, b)).collect()).collect();
            for k in 0..4 {
                for a in 0..4 {
                    for b in 0..4 {
                        reach[a][b] |= reach[a][k] && reach[k][b];
                    }
                }
            }
            let found = components(&successors, 0..4, |_| true);
            let mut number = [usize::MAX; 4];
            for (i, component) in found.iter().enumerate() {
                component.iter().for_each(|&node| number[node] = i);
            }
            for a in 0..4 {
                for b in 0..4 {
                    assert_eq!(number[a] == number[b], reach[a][b] && reach[b][a], "{successors:?}");
                    assert!(!leads(a, b) || number[b] <= number[a], "{successors:?}");
                }
            }
            let some = components(&successors, [0], |node| node != 3);
            assert!(some.iter().flatten().all(|&node| node != 3 && reach[0][node]), "{successors:?}");
        }
    }
}
