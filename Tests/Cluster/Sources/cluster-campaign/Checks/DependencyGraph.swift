/// Which transactions must come before which others.
struct DependencyGraph {
    /// How one transaction must come before another.
    enum Dependency: String {
        /// The other one's append is the next one of a list.
        case writeBeforeWrite = "ww"
        /// The other one has read its append.
        case writeBeforeRead = "wr"
        /// The other one's append is missing in its read.
        case readBeforeWrite = "rw"
        /// It had ended before the other one began.
        case realTime = "rt"
    }

    /// Transactions that each must come before the next one, and the last before the first.
    struct Cycle: CustomStringConvertible {
        /// The numbers of transactions in the history, and how each one precedes the next.
        var steps: [(transaction: Int, dependency: Dependency)]

        /// Its name in Adya's classification: G0 (writes only), G1c (writes and reads), G-single (one read before a
        /// write), G2 (several); with "-realtime" if it needs the order in time. Then its steps.
        var description: String {
            let kinds = steps.map(\.dependency)
            let reads = kinds.count { $0 == .readBeforeWrite }
            let name = reads > 1 ? "G2" : reads == 1 ? "G-single" : kinds.contains(.writeBeforeRead) ? "G1c" : "G0"
            return name + (kinds.contains(.realTime) ? "-realtime: " : ": ")
                + steps.map { "\($0) \($1.rawValue) " }.joined() + "\(steps[0].transaction)"
        }
    }

    private var edges: [[Int: Dependency]]

    init(count: Int) { edges = [[Int: Dependency]](repeating: [:], count: count) }

    /// Adds an edge. Of several between two transactions, the first is kept.
    mutating func add(_ from: Int, _ dependency: Dependency, _ to: Int) {
        if edges[from][to] == nil { edges[from][to] = dependency }
    }

    /// A shortest cycle of each strongly connected component that has one.
    func cycles() -> [Cycle] {
        components().filter { $0.count > 1 }.compactMap { component in
            let inside = Set(component)
            return component.lazy.compactMap { shortestCycle(from: $0, inside) }.min { $0.steps.count < $1.steps.count }
        }
    }

    private func shortestCycle(from start: Int, _ inside: Set<Int>) -> Cycle? {
        var origin: [Int: Int] = [:]
        var (queue, first) = ([start], 0)
        while first < queue.count {
            let node = queue[first]
            first += 1
            for (next, dependency) in edges[node].sorted(by: { $0.key < $1.key }) where inside.contains(next) {
                if next == start { return cycle(from: start, to: node, dependency, origin) }
                if origin[next] == nil {
                    origin[next] = node
                    queue.append(next)
                }
            }
        }
        return nil
    }

    private func cycle(from start: Int, to last: Int, _ dependency: Dependency, _ origin: [Int: Int]) -> Cycle {
        var steps = [(last, dependency)]
        while steps[0].0 != start, let before = origin[steps[0].0], let edge = edges[before][steps[0].0] {
            steps.insert((before, edge), at: 0)
        }
        return Cycle(steps: steps)
    }

    /// Strongly connected components (Tarjan), without recursion.
    private func components() -> [[Int]] {
        var index = [Int](repeating: -1, count: edges.count)
        var (low, onStack) = (index, [Bool](repeating: false, count: edges.count))
        var (stack, found, counter) = ([Int](), [[Int]](), 0)
        for root in edges.indices where index[root] < 0 {
            var work: [(node: Int, targets: [Int], next: Int)] = []
            func enter(_ node: Int) {
                (index[node], low[node]) = (counter, counter)
                counter += 1
                stack.append(node)
                onStack[node] = true
                work.append((node, Array(edges[node].keys), 0))
            }
            enter(root)
            while let top = work.last {
                if top.next < top.targets.count {
                    work[work.count - 1].next += 1
                    let target = top.targets[top.next]
                    if index[target] < 0 {
                        enter(target)
                    } else if onStack[target] {
                        low[top.node] = min(low[top.node], index[target])
                    }
                    continue
                }
                work.removeLast()
                if let parent = work.last { low[parent.node] = min(low[parent.node], low[top.node]) }
                guard low[top.node] == index[top.node] else { continue }
                var component: [Int] = []
                while let node = stack.popLast() {
                    onStack[node] = false
                    component.append(node)
                    if node == top.node { break }
                }
                found.append(component)
            }
        }
        return found
    }
}
