/// Which transactions must come before which others.
struct DependencyGraph {
    private var edges: [[Int: Dependency]]

    init(count: Int) { edges = [[Int: Dependency]](repeating: [:], count: count) }

    /// Adds an edge. Of several between two transactions, the strongest is kept: that which says most about the data.
    mutating func add(_ from: Int, _ dependency: Dependency, _ to: Int) {
        if let known = edges[from][to], Self.rank(known) <= Self.rank(dependency) { return }
        edges[from][to] = dependency
    }

    private static func rank(_ dependency: Dependency) -> Int {
        switch dependency {
        case .writeBeforeWrite: 0
        case .writeBeforeRead: 1
        case .readBeforeWrite: 2
        case .realTime: 3
        }
    }

    /// A shortest cycle of each strongly connected component that has one.
    func cycles() -> [ListAnomaly.Cycle] {
        components().filter { $0.count > 1 }.compactMap { component in
            let inside = Set(component)
            return component.lazy.compactMap { shortestCycle(from: $0, inside) }.min {
                $0.transactions.count < $1.transactions.count
            }
        }
    }

    private func shortestCycle(from start: Int, _ inside: Set<Int>) -> ListAnomaly.Cycle? {
        var origin: [Int: Int] = [:]
        var (queue, first) = ([start], 0)
        while first < queue.count {
            let node = queue[first]
            first += 1
            for next in edges[node].keys.sorted() where inside.contains(next) {
                if next == start { return cycle(from: start, to: node, origin) }
                if origin[next] == nil {
                    origin[next] = node
                    queue.append(next)
                }
            }
        }
        return nil
    }

    private func cycle(from start: Int, to last: Int, _ origin: [Int: Int]) -> ListAnomaly.Cycle {
        var path = [last]
        while let node = path.last, node != start, let before = origin[node] { path.append(before) }
        path.reverse()
        let dependencies = path.indices.map { index in
            edges[path[index]][path[(index + 1) % path.count]] ?? .realTime
        }
        return ListAnomaly.Cycle(transactions: path, dependencies: dependencies)
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
