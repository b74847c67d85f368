/// When a value expires.
public struct Expiry: Sendable, Hashable {
    /// The kinds of expiry. More may be added: write a `default` in a `switch` over it.
    public enum Kind: Sendable, Hashable {
        /// See ``Expiry/never``.
        case never
        /// See ``Expiry/at(_:)``.
        case at(Timestamp)
        /// See ``Expiry/after(_:)``.
        case after(Duration)
    }

    /// Which kind it is, for code that interprets it.
    public let kind: Kind

    @inlinable
    init(kind: Kind) { self.kind = kind }

    /// Whether it is `.never`.
    @inlinable
    package var isNever: Bool { if case .never = kind { true } else { false } }

    /// The value stays until it is overwritten or removed.
    @inlinable public static var never: Expiry { Expiry(kind: .never) }
    /// The value expires at this time. A time in the past is allowed: the value is written but never returned.
    @inlinable public static func at(_ time: Timestamp) -> Expiry { Expiry(kind: .at(time)) }
    /// The value expires after this duration, counted from the call by the store's clock.
    @inlinable public static func after(_ duration: Duration) -> Expiry { Expiry(kind: .after(duration)) }

    /// The point in time. Nil for `.never`, and for `.after`, which becomes a point in time only when the value is
    /// written.
    public var timestamp: Timestamp? {
        if case .at(let time) = kind { time } else { nil }
    }

    /// The same, without `.after`.
    package func counted(from now: () -> Timestamp) -> Expiry {
        if case .after(let duration) = kind { .at(now() + duration) } else { self }
    }

    /// Milliseconds since 1970, at least 1; 0 for never, as in the file format.
    package func stored(now: Timestamp) -> UInt64 {
        switch kind {
        case .never: 0
        case .at(let time): max(1, time.milliseconds)
        case .after(let duration): max(1, (now + duration).milliseconds)
        }
    }
}

extension Expiry {
    /// Decodes the field of a record: milliseconds since 1970; 0 for never.
    package init(stored: UInt64) {
        self = stored == 0 ? .never : .at(Timestamp(milliseconds: stored))
    }
}
