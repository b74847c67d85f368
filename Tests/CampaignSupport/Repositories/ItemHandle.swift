internal import Foundation
internal import Heartwood
internal import HeartwoodRepository

/// A repository of a run, whatever its model.
protocol ItemHandle: Sendable {
    var repository: Int { get }

    /// Writes, and returns the sequence number where the call tells it; nil if there was no record to change.
    func perform(_ write: ItemWrite, _ form: WriteForm, _ durability: Durability) async throws -> (UInt64?, Bool)
    /// Sets many.
    func saveAll(_ writes: [ItemWrite], inserts: Bool, _ durability: Durability) async throws -> UInt64
    func deleteAll(_ numbers: [Int], _ durability: Durability) async throws
    /// The same in a transaction. Returns whether there was a record to change.
    func perform(_ write: ItemWrite, _ form: WriteForm, in transaction: Transaction) async throws -> Bool
    /// Compares what queries find in a transaction with the records that it sees.
    ///
    /// - Parameter stamp: Of a record, whose values are looked for.
    func compare(_ stamp: Int, in transaction: Transaction) async throws
    /// Finds a record, and checks that its values belong together.
    func find(_ number: Int) async throws
    func maintain() async throws(StoreError) -> MaintenanceReport
}

/// Which of the calls that mean the same is used.
enum WriteForm: Sendable {
    case plain
    /// A set that throws if there is a record; an update that saves what was read before.
    case careful
    /// Saves two times in one transaction, first with other values.
    case twice(firstStamp: Int)
}

struct TypedHandle<Model: Item>: ItemHandle {
    let repository: Int
    let typed: Repository<Model>
    let world: ItemWorld

    init(_ model: Model.Type, _ repository: Int, _ program: ItemProgram, _ store: BoundedStore, _ world: ItemWorld)
        async throws
    {
        (self.repository, self.world) = (repository, world)
        typed = try await store.repository(program.definition(of: model, repository, world), maintenance: .manual)
    }

    private func id(_ number: Int) -> Model.ID { Model.ID(slot: number) }

    private func model(_ number: Int, stamp: Int, count: Int) -> Model {
        Model(id: id(number), stamp: stamp, count: count, ItemFields(stamp: stamp, slot: number, world))
    }

    private func restamped(_ old: Model, _ number: Int, _ stamp: Int) -> Model {
        model(number, stamp: stamp, count: old.count)
    }

    private func expiry(_ milliseconds: UInt64) -> Expiry { Expiry(stored: milliseconds) }

    func perform(_ write: ItemWrite, _ form: WriteForm, _ durability: Durability) async throws -> (UInt64?, Bool) {
        let number = write.slot.number
        switch write.kind {
        case .set(let stamp, let count, let expires):
            let model = model(number, stamp: stamp, count: count)
            if case .careful = form {
                return (try await typed.insert(model, expires: expiry(expires), durability: durability), true)
            }
            return (try await typed.save(model, expires: expiry(expires), durability: durability), true)
        case .update(let stamp):
            if case .careful = form {
                guard let old = try await typed.findVersioned(by: id(number)) else { return (nil, false) }
                await Task.yield()
                let changed = restamped(old.model, number, stamp)
                return (try await typed.save(changed, replacing: old, durability: durability), true)
            }
            let done: Void? = try await typed.update(id(number), durability: durability) {
                $0 = restamped($0, number, stamp)
            }
            return (nil, done != nil)
        case .increment(let bit):
            let sum = try await typed.increment(\.count, of: id(number), by: 1 << bit, durability: durability)
            return (nil, sum != nil)
        case .delete:
            try await typed.delete(id(number), durability: durability)
            return (nil, true)
        }
    }

    func saveAll(_ writes: [ItemWrite], inserts: Bool, _ durability: Durability) async throws -> UInt64 {
        var models: [Model] = []
        var expires = Expiry.never
        for write in writes {
            guard case .set(let stamp, let count, let time) = write.kind else { continue }
            expires = expiry(time)
            models.append(model(write.slot.number, stamp: stamp, count: count))
        }
        if inserts { return try await typed.insert(models, expires: expires, durability: durability) }
        return try await typed.save(models, expires: expires, durability: durability)
    }

    func deleteAll(_ numbers: [Int], _ durability: Durability) async throws {
        try await typed.delete(numbers.map { id($0) }, durability: durability)
    }

    func perform(_ write: ItemWrite, _ form: WriteForm, in transaction: Transaction) async throws -> Bool {
        let number = write.slot.number
        switch write.kind {
        case .set(let stamp, let count, let expires):
            if case .twice(let first) = form {
                try await typed.save(model(number, stamp: first, count: count), in: transaction)
            }
            let model = model(number, stamp: stamp, count: count)
            if case .careful = form {
                try await typed.insert(model, expires: expiry(expires), in: transaction)
            } else {
                try await typed.save(model, expires: expiry(expires), in: transaction)
            }
            return true
        case .update(let stamp):
            let done: Void? = try await typed.update(id(number), in: transaction) { $0 = restamped($0, number, stamp) }
            return done != nil
        case .increment(let bit):
            return try await typed.increment(\.count, of: id(number), by: 1 << bit, in: transaction) != nil
        case .delete:
            try await typed.delete(id(number), in: transaction)
            return true
        }
    }

    func compare(_ stamp: Int, in transaction: Transaction) async throws {
        let wanted = Model(id: id(0), stamp: stamp, count: 0, ItemFields(stamp: stamp, slot: 0, world))
        let group: any KeyPath<Model, String?> & Sendable = \.group
        let alias: any KeyPath<Model, String?> & Sendable = \.alias
        let code: any KeyPath<Model, Int> & Sendable = \.code
        let rank: any KeyPath<Model, Int> & Sendable = \.rank
        let tags: any KeyPath<Model, [String]> & Sendable = \.tags
        let all = try await typed.fetch(Query(), in: transaction)
        let queries: [(Filter<Model>, (Model) -> Bool)] = [
            (group == wanted.group, { $0.group == wanted.group }),
            (alias == wanted.alias, { $0.alias == wanted.alias }),
            (code == wanted.code, { $0.code == wanted.code }), (rank <= wanted.rank, { $0.rank <= wanted.rank }),
            (.contains(tags, "a"), { $0.tags.contains("a") }),
        ]
        for (filter, passes) in queries {
            let found = try await typed.fetch(Query(where: filter), in: transaction).map(\.id)
            let count = try await typed.count(Query(where: filter), in: transaction)
            let expected = all.filter(passes).map(\.id)
            try expect(
                found == expected && count == expected.count,
                "a transaction finds \(found), \(count) in number, in \"\(typed.name)\", and has \(expected)")
        }
    }

    func find(_ number: Int) async throws {
        guard let model = try await typed.find(by: id(number)) else { return }
        try expect(
            model.fields == ItemFields(stamp: model.stamp, slot: number, world).stored(world),
            "the record \(number) of \"\(typed.name)\" is a mixture: \(model)")
    }

    func maintain() async throws(StoreError) -> MaintenanceReport { try await typed.maintain() }
}

extension ItemProgram {
    /// Opens a repository as this program does.
    func open(_ repository: Int, in store: BoundedStore, _ world: ItemWorld) async throws -> any ItemHandle {
        try await open(ItemModels.type(repository, version: model)!, repository, in: store, world)
    }

    private func open<Model: Item>(
        _ type: Model.Type, _ repository: Int, in store: BoundedStore, _ world: ItemWorld
    ) async throws -> any ItemHandle {
        try await TypedHandle(type, repository, self, store, world)
    }

    func openAll(in store: BoundedStore, _ world: ItemWorld) async throws -> [any ItemHandle] {
        var handles: [any ItemHandle] = []
        for repository in indexes.indices { handles.append(try await open(repository, in: store, world)) }
        return handles
    }
}
