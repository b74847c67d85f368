internal import HeartwoodConcurrency
internal import HeartwoodFileSystem

/// The result of a call, and its effect on the disk.
struct Outcome<Value> {
    var value: Value
    var effect: DiskEffect
    /// For a read or write: how to transfer fewer bytes.
    var partial: Partial?

    struct Partial {
        /// How many bytes the full call transfers.
        let count: Int
        /// The result and the effect of transferring this many bytes.
        let of: (Int) -> (Value, DiskEffect)
    }

    init(_ value: Value, _ effect: DiskEffect = .none, partial: Partial? = nil) {
        self.value = value
        self.effect = effect
        self.partial = partial
    }
}

extension SimulatedDisk {
    /// Performs every call: counts it, injects a fault if one applies, carries it out, and records it.
    ///
    /// `body` decides what the call does and changes nothing. `finish` runs if the call succeeds, for changes that
    /// leave no traces on the disk. An open file is named by its present name, as long as it has one.
    func perform<R>(
        _ operation: FileOperation, _ path: String, of node: DiskState.Node? = nil,
        _ body: (State) throws(FileSystemError) -> Outcome<R>, then finish: (inout State, R) -> Void = { _, _ in },
        alsoWhenFailing cleanUp: () -> Void = {}
    ) throws(FileSystemError) -> R {
        defer { cleanUp() }
        let observer = state.withLock { state in
            state.observer.map { ($0, state.name(of: node) ?? path) }
        }
        if let (observer, name) = observer { observer(operation, name) }
        return try state.withLock { state throws(FileSystemError) in
            let name = state.name(of: node) ?? path
            var call = DiskCall(number: state.trace.callCount, operation: operation, path: name)
            state.trace.callCount += 1
            let fault = state.nextFault(operation, name)
            defer {
                if fault != nil { state.injected.append(call) }
                if state.isTracing { state.trace.events.append(.call(call)) }
            }
            call.isInjected = fault != nil
            do throws(FileSystemError) {
                switch fault {
                case nil:
                    let value = state.carryOut(try body(state), &call)
                    finish(&state, value)
                    return value
                case .short(let count)?:
                    let outcome = try body(state)
                    let value = state.carryOut(outcome, atMost: max(1, count), &call)
                    finish(&state, value)
                    return value
                case .error(let code)?:
                    if operation == .sync { state.carryOut(failing: try body(state), &call) }
                    throw FileSystemError(operation: operation, path: path, code: code)
                case .errorAfterwards(let code)?:
                    _ = state.carryOut(try body(state), &call)
                    throw FileSystemError(operation: operation, path: path, code: code)
                case .errorHalfway(let code)?:
                    if operation == .write {
                        let outcome = try body(state)
                        _ = state.carryOut(outcome, atMost: (outcome.partial?.count ?? 0) / 2, &call)
                    }
                    throw FileSystemError(operation: operation, path: path, code: code)
                }
            } catch {
                call.failure = error.code
                throw error
            }
        }
    }
}

extension SimulatedDisk {
    /// Performs a store to a mapping. It is counted and recorded like a call, and can't fail.
    func store(_ bytes: UnsafeRawBufferPointer, at offset: UInt64, of node: DiskState.Node, _ path: String) {
        let observer = state.withLock { state in state.observer.map { ($0, state.name(of: node) ?? path) } }
        if let (observer, name) = observer { observer(.store, name) }
        state.withLock { state in
            let range = offset..<(offset + UInt64(bytes.count))
            let file = state.disk.files[node]!
            precondition(
                file.cache.size >= range.upperBound && file.blocks.contains(range),
                "a store to a range that is not allocated: the system would end the process")
            var call = DiskCall(
                number: state.trace.callCount, operation: .store, path: state.name(of: node) ?? path)
            state.trace.callCount += 1
            for index in state.faults.indices where state.faults[index].fault.matches(.store, call.path) {
                state.faults[index].seen += 1
            }
            state.apply(.write(node, offset, Payload(bytes)), &call)
            if state.isTracing { state.trace.events.append(.call(call)) }
        }
    }
}

extension SimulatedDisk.State {
    fileprivate func name(of node: DiskState.Node?) -> String? { node.flatMap { disk.tree.path(of: $0) } }

    /// The fault to inject into this call; nil for none.
    fileprivate mutating func nextFault(_ operation: FileOperation, _ path: String) -> Fault.Effect? {
        var effect: Fault.Effect?
        for index in faults.indices where faults[index].fault.matches(operation, path) {
            faults[index].seen += 1
            let fault = faults[index].fault
            let since = faults[index].seen - fault.first
            if effect == nil, since >= 0, since < fault.times, fault.concerns(operation) { effect = fault.effect }
        }
        return effect ?? randomFaults?.draw(operation, &faultRandom)
    }

    fileprivate mutating func carryOut<R>(_ outcome: Outcome<R>, _ call: inout DiskCall) -> R {
        apply(outcome.effect, &call)
        return outcome.value
    }

    fileprivate mutating func carryOut<R>(
        _ outcome: Outcome<R>, atMost count: Int, _ call: inout DiskCall
    ) -> R {
        guard let partial = outcome.partial else { return carryOut(outcome, &call) }
        let (value, effect) = partial.of(min(partial.count, count))
        apply(effect, &call)
        return value
    }

    /// Carries out a sync that fails: it drops the pending changes.
    fileprivate mutating func carryOut<R>(failing outcome: Outcome<R>, _ call: inout DiskCall) {
        if case .sync(let node) = outcome.effect { apply(.failedSync(node), &call) }
    }

    fileprivate mutating func apply(_ effect: DiskEffect, _ call: inout DiskCall) {
        disk.apply(effect)
        call.effect = effect
    }

    /// The end of the part of a file's range for which there is disk space. Files that have a name or are open take
    /// space.
    func endOfSpace(for node: DiskState.Node, _ range: Range<UInt64>) -> UInt64 {
        guard capacity != .max else { return range.upperBound }
        let used = Set(disk.linkedFiles).union(opened.keys).reduce(0) { $0 + disk.files[$1]!.blocks.count }
        let blocks = disk.files[node]!.blocks
        let all = Int(min(capacity / blocks.blockSize, 1 << 40))
        return blocks.end(of: range, taking: all - used)
    }

    /// Closes one handle of a file.
    mutating func release(_ node: DiskState.Node) {
        let handles = opened[node, default: 0] - 1
        opened[node] = handles > 0 ? handles : nil
    }
}
