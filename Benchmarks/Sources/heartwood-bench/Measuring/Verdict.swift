/// A target, with what was measured.
struct Verdict: Sendable, Codable {
    /// What is to be reached, as text.
    var wanted: String
    /// The same as a number: a rate, a ratio, seconds or bytes.
    var wantedValue: Double
    /// What was measured, as text.
    var measured: String
    var measuredValue: Double?
    /// Nil where it can't be told: nothing to compare with has run, or what has run proves nothing.
    var isReached: Bool?
    /// Why it can't be told.
    var reason: String?
}

/// Says of each target whether it is reached.
struct Judge {
    private let cells: [String: Cell]
    private let lengths: Lengths
    private let built = Set(Catalogue.all.map(\.name))

    init(_ cells: [Cell], _ lengths: Lengths) {
        self.cells = Dictionary(uniqueKeysWithValues: cells.map { ($0.workload.name, $0) })
        self.lengths = lengths
    }

    /// The verdicts on a workload that ran at least once.
    func verdicts(_ cell: Cell) -> [Verdict] {
        cell.workload.targets.compactMap { target in
            guard var verdict = verdict(target, cell) else { return nil }
            if let reason = doubt(cell) {
                verdict.isReached = nil
                verdict.reason = verdict.reason ?? reason
            }
            return verdict
        }
    }

    private func verdict(_ target: Target, _ cell: Cell) -> Verdict? {
        guard let rate = cell.rate?.median else { return nil }
        switch target {
        case .perSecond(let wanted):
            return Verdict(
                wanted: "\(Numbers.rate(wanted))/s", wantedValue: wanted, measured: "\(Numbers.rate(rate))/s",
                measuredValue: rate, isReached: rate >= wanted)
        case .timesRaw(let wanted):
            return ratio(rate, wanted, [RawLoop.name], subject: "")
        case .times(let wanted, let names):
            return ratio(rate, wanted, names, subject: "")
        case .besideTimes(let wanted, let name):
            guard let beside = cell.beside?.median else { return nil }
            return ratio(beside, wanted, [name], subject: "\(cell.workload.besideTitle ?? "beside"): ")
        case .within(let wanted, let operations):
            let seconds = Double(operations) / rate
            return Verdict(
                wanted: "\(Numbers.grouped(operations)) in \(Numbers.decimal(wanted, digits: 2)) s",
                wantedValue: wanted,
                measured: "\(Numbers.decimal(seconds, digits: 2)) s", measuredValue: seconds,
                isReached: seconds <= wanted)
        case .insertedBytes(let wanted):
            return cell.footprint.map { bytes($0.insertedBeyondKey, wanted, "inserted") }
        case .loadedBytes(let wanted):
            return cell.footprint.map { bytes($0.loadedBeyondKey, wanted, "reopened") }
        case .atMost(let wanted, let figure):
            return atMost(wanted, figure, cell)
        case .atMostTimes(let wanted, let figure, let name):
            return atMost(wanted, figure, cell, of: name)
        case .latency999(let wanted):
            guard let latency = cell.latencies?.summary.p999 else { return nil }
            return Verdict(
                wanted: "p99.9 at most \(Numbers.latency(wanted))", wantedValue: Double(wanted),
                measured: Numbers.latency(latency), measuredValue: Double(latency), isReached: latency <= wanted)
        }
    }

    private func atMost(_ wanted: Double, _ figure: Figure, _ cell: Cell) -> Verdict? {
        guard let spread = cell.figure(figure) else { return nil }
        let value = figure.isForEachRun ? spread.maximum : spread.median
        return Verdict(
            wanted: "\(figure.title): at most \(figure.text(wanted))", wantedValue: wanted,
            measured: figure.text(value), measuredValue: value, isReached: value <= wanted)
    }

    private func atMost(_ wanted: Double, _ figure: Figure, _ cell: Cell, of name: String) -> Verdict? {
        guard let spread = cell.figure(figure), !wasLeftOut([name]) else { return nil }
        var verdict = Verdict(
            wanted: "\(figure.title): at most \(Numbers.ratio(wanted)) x \(name)", wantedValue: wanted, measured: "",
            isReached: nil)
        guard let other = cells[name]?.figure(figure) else {
            verdict.reason = missing([name])
            return verdict
        }
        verdict.measured =
            "\(Numbers.ratio(spread.median / other.median)) x "
            + "(\(figure.text(spread.median)) by \(figure.text(other.median)))"
        verdict.measuredValue = spread.median / other.median
        verdict.isReached = spread.median <= wanted * other.median
        if other.isErratic {
            verdict.isReached = nil
            verdict.reason = "\(name) was erratic"
        }
        return verdict
    }

    /// Whether one of them wasn't asked for, though it could have been.
    private func wasLeftOut(_ names: [String]) -> Bool {
        names.contains { built.contains($0) && cells[$0] == nil }
    }

    /// Why there is nothing to compare with.
    private func missing(_ names: [String]) -> String {
        built.isSuperset(of: names) ? "\(names.joined(separator: ", ")) did not run" : "needs the other engines"
    }

    private func bytes(_ bytes: Double, _ wanted: Double, _ how: String) -> Verdict {
        Verdict(
            wanted: "\(how): at most \(Numbers.decimal(wanted, digits: 0)) bytes of index beyond the key",
            wantedValue: wanted, measured: Numbers.decimal(bytes, digits: 1), measuredValue: bytes,
            isReached: bytes <= wanted)
    }

    /// Nil where what it compares with wasn't asked for, though it could have been.
    private func ratio(_ rate: Double, _ wanted: Double, _ names: [String], subject: String) -> Verdict? {
        if wasLeftOut(names) { return nil }
        let others = names.compactMap { name in cells[name]?.rate.map { (name: name, rate: $0) } }
        let list = names.joined(separator: ", ")
        var verdict = Verdict(
            wanted: "\(subject)\(Numbers.ratio(wanted)) x \(names.count > 1 ? "the best of " : "")\(list)",
            wantedValue: wanted, measured: "", isReached: nil)
        guard others.count == names.count, let best = others.max(by: { $0.rate.median < $1.rate.median }) else {
            verdict.reason = missing(names.filter { name in !others.contains { $0.name == name } })
            return verdict
        }
        verdict.measured = "\(Numbers.ratio(rate / best.rate.median)) x"
        verdict.measuredValue = rate / best.rate.median
        verdict.isReached = rate >= wanted * best.rate.median
        // A ratio to a rate that was now this, now that, proves nothing, whatever it says.
        if let erratic = others.first(where: { $0.rate.isErratic }) {
            verdict.isReached = nil
            verdict.reason = "\(erratic.name) was erratic"
        }
        return verdict
    }

    /// Why nothing can be said of a workload: a short run of durable writes leaves out what takes time now and then.
    private func doubt(_ cell: Cell) -> String? {
        guard cell.workload.neededRotations > 0 else { return nil }
        if lengths.durableSeconds < 20 { return "runs were shorter than 20 s" }
        if let rotations = cell.rotations, rotations < cell.workload.neededRotations {
            return "a run had only \(rotations) rotations"
        }
        return nil
    }
}
