import Heartwood
import HeartwoodRepository

/// The events of an hour in figures. A record of the repository ``definition``.
struct HourSummary: Codable, Identifiable, Sendable, Equatable {
    struct TypeCount: Codable, Sendable, Equatable {
        var type: String
        var events: Int
    }

    /// The number of the hour.
    let id: UInt32
    var events: Int
    /// The bytes of the clients' objects.
    var bytes: Int
    /// The types with the most events, in this order.
    var types: [TypeCount]
    /// The number of events of other types.
    var others: Int
    /// When the events were counted, in milliseconds since 1970.
    var counted: UInt64

    var hour: Hour { Hour(number: id) }

    static let definition = RepositoryDefinition<HourSummary>("summaries")
}
