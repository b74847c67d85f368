import HeartwoodRepository
import HeartwoodEtcd
import KeyValueStore

/// A record with a unique index, and one that isn't.
struct Member: Codable, Identifiable, Sendable {
    var id: Int
    var mail: String
    var team: Int

    static let repository = RepositoryDefinition<Member>(
        "members", indexes: [.unique("mail", \.mail), Index("team", \.team)])
}

/// Who has an address: each address is a register, whose value is the id of the only member with it.
extension Client {
    mutating func useMembers() async {
        let names = (0..<3).map { "member:\($0)" }.shuffled(using: &random)
        let (name, other, new) = (names[0], names[1], value())
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            await note([]) { [members] _ throws(StoreError) in
                [(name, .read(try await members.first(where: \.mail == name)?.id))]
            }
        case 1, 2:
            let member = Member(id: new, mail: name, team: .random(in: 0..<3, using: &random))
            await claim(name, by: new, []) { [members] () throws(StoreError) in try await members.insert(member) }
        case 3: await remove(name)
        default: await move(name, to: other)
        }
    }

    /// Notes that an address is claimed, or has another owner; with it, what happens only if it is claimed.
    private func claim(
        _ name: String, by member: Int, _ others: [(String, RegisterOperation.Call)],
        _ body: () async throws(StoreError) -> SequenceNumber?
    ) async {
        func call(_ succeeded: Bool?) -> (String, RegisterOperation.Call) {
            (name, .compareAndSet(expected: nil, new: member, succeeded: succeeded))
        }
        let unknown = others.map { ($0, $1.withUnknownOutcome) } + [call(nil)]
        await note(unknown) { _ throws(StoreError) in
            do throws(StoreError) {
                guard let sequence = try await body() else { return [] }
                acknowledge(sequence)
                return others + [call(true)]
            } catch {
                guard error.code == .uniqueViolation else { throw error }
                return [call(false)]
            }
        }
    }

    private func remove(_ name: String) async {
        guard let found = try? await members.first(where: \.mail == name)?.id else { return }
        await note([(name, .compareAndSet(expected: found, new: nil, succeeded: nil))]) {
            [members] store throws(StoreError) in
            let result = try await transaction(on: store) { (transaction) throws(StoreError) in
                guard try await members.find(by: found, in: transaction)?.mail == name else { return false }
                try await members.delete(found, in: transaction)
                return true
            }
            if result.value { acknowledge(result.sequence) }
            return [(name, .compareAndSet(expected: found, new: nil, succeeded: result.value))]
        }
    }

    /// Gives an address up, and claims another one, in one transaction.
    private func move(_ name: String, to other: String) async {
        guard let found = try? await members.first(where: \.mail == name)?.id else { return }
        let givenUp = RegisterOperation.Call.compareAndSet(expected: found, new: nil, succeeded: true)
        await claim(other, by: found, [(name, givenUp)]) { [members, store] () throws(StoreError) in
            let result = try await transaction(on: store) { (transaction) throws(StoreError) in
                guard var member = try await members.find(by: found, in: transaction), member.mail == name else {
                    return false
                }
                member.mail = other
                member.team += 1
                try await members.save(member, in: transaction)
                return true
            }
            return result.value ? result.sequence : nil
        }
    }
}

extension RegisterOperation.Call {
    fileprivate var withUnknownOutcome: Self {
        if case .compareAndSet(let expected, let new, _) = self {
            return .compareAndSet(expected: expected, new: new, succeeded: nil)
        }
        return self
    }
}
