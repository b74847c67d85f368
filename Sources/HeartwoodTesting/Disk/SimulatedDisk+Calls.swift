internal import HeartwoodFileSystem

/// What a call gives back, and what it does to the disk.
struct Outcome<Value> {
    var value: Value
    var effect: DiskEffect
    /// What it gives back and does where it is to do half of it or less.
    var partial: ((Int) -> (Value, DiskEffect))?

    init(_ value: Value, _ effect: DiskEffect = .none, partial: ((Int) -> (Value, DiskEffect))? = nil) {
        self.value = value
        self.effect = effect
        self.partial = partial
    }
}

extension SimulatedDisk {
    /// The one way of every call: counted, failed if it is to fail, carried out, and written down.
    ///
    /// `body` decides what the call does and changes nothing itself.
    func perform<R>(
        _ operation: FileSystemError.Operation, _ path: String,
        _ body: (State) throws(FileSystemError) -> Outcome<R>, alsoWhenFailing cleanUp: () -> Void = {}
    ) throws(FileSystemError) -> R {
        defer { cleanUp() }
        if let observer = state.withLock({ $0.observer }) { observer(operation, path) }
        return try state.withLock { state throws(FileSystemError) in
            var call = DiskCall(number: state.trace.callCount, operation: operation, path: path)
            state.trace.callCount += 1
            let fault = state.nextFault(operation, path)
            defer {
                if fault != nil { state.injected.append(call) }
                if state.isTracing { state.trace.events.append(.call(call)) }
            }
            call.isInjected = fault != nil
            do throws(FileSystemError) {
                switch fault {
                case nil:
                    return state.carryOut(try body(state), &call)
                case .short(let count)?:
                    return state.carryOut(try body(state), atMost: max(1, count), &call)
                case .error(let code)?:
                    if operation == .sync { state.carryOut(failing: try body(state), &call) }
                    throw FileSystemError(operation: operation, path: path, code: code)
                case .errorAfterwards(let code)?:
                    _ = state.carryOut(try body(state), &call)
                    throw FileSystemError(operation: operation, path: path, code: code)
                case .errorHalfway(let code)?:
                    if operation == .write { _ = state.carryOut(try body(state), atMost: nil, &call) }
                    throw FileSystemError(operation: operation, path: path, code: code)
                }
            } catch {
                call.failure = error.code
                throw error
            }
        }
    }
}

extension SimulatedDisk.State {
    /// The fault that this call is to show.
    fileprivate mutating func nextFault(_ operation: FileSystemError.Operation, _ path: String) -> Fault.Effect? {
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

    /// - Parameter count: How many bytes at most; half of them where it is nil.
    fileprivate mutating func carryOut<R>(
        _ outcome: Outcome<R>, atMost count: Int?, _ call: inout DiskCall
    ) -> R {
        guard let partial = outcome.partial else { return carryOut(outcome, &call) }
        let (value, effect) = partial(count ?? -1)
        apply(effect, &call)
        return value
    }

    /// A sync that fails isn't one that didn't happen: what was pending is dropped.
    fileprivate mutating func carryOut<R>(failing outcome: Outcome<R>, _ call: inout DiskCall) {
        if case .sync(let node) = outcome.effect { apply(.failedSync(node), &call) }
    }

    private mutating func apply(_ effect: DiskEffect, _ call: inout DiskCall) {
        disk.apply(effect)
        call.effect = effect
    }

    /// Whether as many more blocks can be had.
    func hasRoom(forBlocks count: Int) -> Bool {
        guard capacity != .max, count > 0 else { return true }
        let used = disk.linkedFiles.reduce(0) { $0 + (disk.files[$1]?.blocks.count ?? 0) }
        return UInt64(used + count) * 4096 <= capacity
    }
}
