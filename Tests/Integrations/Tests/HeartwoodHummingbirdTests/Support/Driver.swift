import Heartwood
import HeartwoodHummingbird
import HeartwoodRepository
import Hummingbird

/// A driver to test, empty, with a clock that the test sets.
enum Driver: CaseIterable {
    /// Hummingbird's own.
    case memory
    case heartwood
    /// With another coding than the default.
    case heartwoodPropertyList

    func make(_ clock: TestClock = TestClock()) throws -> any PersistDriver {
        switch self {
        case .memory: MemoryPersistDriver(clock.ticking)
        case .heartwood: HeartwoodPersistDriver(try Store.inMemory(clock))
        case .heartwoodPropertyList: HeartwoodPersistDriver(try Store.inMemory(clock), coder: .propertyList)
        }
    }
}

extension Store {
    static func inMemory(_ clock: some StoreClock) throws -> Store {
        var configuration = Configuration()
        configuration.clock = clock
        return try inMemory(configuration: configuration)
    }
}

struct Profile: Codable, Equatable {
    var name: String
    var visits = 1
}
