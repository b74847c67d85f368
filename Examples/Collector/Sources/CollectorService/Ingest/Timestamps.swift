/// Times of events: milliseconds since 1970 (UTC), and their text by RFC 3339. Years 1970 to 9999.
enum Timestamps {
    /// The first millisecond of the year 10000: what the text can't have any more.
    static let end: UInt64 = 253_402_300_800_000

    /// The time of a text such as `2026-11-26T09:30:00.5Z` or `2026-11-26 10:30:00+01:00`; nil if it is none, or before
    /// 1970. Digits after the third of a fraction are dropped. A leap second is the second after it.
    static func parse(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> UInt64? {
        var reader = Reader(position: range.lowerBound, end: range.upperBound)
        guard let year = reader.number(bytes, digits: 4), reader.skip(UInt8(ascii: "-"), bytes),
            let month = reader.number(bytes, digits: 2), reader.skip(UInt8(ascii: "-"), bytes),
            let day = reader.number(bytes, digits: 2), (1...12).contains(month),
            (1...days(of: month, in: year)).contains(day),
            let separator = reader.next(bytes), separator | 0x20 == UInt8(ascii: "t") || separator == 0x20,
            let hour = reader.number(bytes, digits: 2), hour < 24, reader.skip(UInt8(ascii: ":"), bytes),
            let minute = reader.number(bytes, digits: 2), minute < 60, reader.skip(UInt8(ascii: ":"), bytes),
            let second = reader.number(bytes, digits: 2), second <= 60,
            let fraction = reader.fraction(bytes), let offset = reader.offset(bytes), reader.position == reader.end
        else { return nil }
        let seconds = (dayNumber(year, month, day) * 24 + hour) * 3_600 + minute * 60 + second - offset * 60
        let milliseconds = seconds * 1_000 + fraction
        return (0..<Int(end)).contains(milliseconds) ? UInt64(milliseconds) : nil
    }

    /// The same for a text.
    static func parse(_ text: String) -> UInt64? {
        let bytes = Array(text.utf8)
        return parse(bytes.span, 0..<bytes.count)
    }

    /// The text of a time, such as `2026-11-26T09:30:00.500Z`.
    static func text(_ milliseconds: UInt64) -> String {
        let (days, rest) = Int(min(milliseconds, end - 1)).quotientAndRemainder(dividingBy: 86_400_000)
        let (year, month, day) = date(days)
        func padded(_ number: Int, _ width: Int) -> String {
            String(repeating: "0", count: max(0, width - "\(number)".count)) + "\(number)"
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(padded(rest / 3_600_000, 2)):"
            + "\(padded(rest / 60_000 % 60, 2)):\(padded(rest / 1_000 % 60, 2)).\(padded(rest % 1_000, 3))Z"
    }

    private static func days(of month: Int, in year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// Days since 1970, by the algorithm "days_from_civil" of Howard Hinnant.
    private static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The reverse, "civil_from_days", for days from 1970 on.
    private static func date(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let (era, dayOfEra) = shifted.quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private struct Reader {
        var position: Int
        let end: Int

        mutating func next(_ bytes: borrowing Span<UInt8>) -> UInt8? {
            guard position < end else { return nil }
            position += 1
            return bytes[position - 1]
        }

        mutating func skip(_ byte: UInt8, _ bytes: borrowing Span<UInt8>) -> Bool {
            guard position < end, bytes[position] == byte else { return false }
            position += 1
            return true
        }

        mutating func number(_ bytes: borrowing Span<UInt8>, digits: Int) -> Int? {
            var number = 0
            for _ in 0..<digits {
                guard let digit = next(bytes), digit &- 0x30 < 10 else { return nil }
                number = number * 10 + Int(digit - 0x30)
            }
            return number
        }

        /// Milliseconds; nil if a point has no digit after it.
        mutating func fraction(_ bytes: borrowing Span<UInt8>) -> Int? {
            guard skip(UInt8(ascii: "."), bytes) else { return 0 }
            var (milliseconds, unit, count) = (0, 100, 0)
            while position < end, bytes[position] &- 0x30 < 10 {
                milliseconds += Int(bytes[position] - 0x30) * unit
                unit /= 10
                count += 1
                position += 1
            }
            return count > 0 ? milliseconds : nil
        }

        /// Minutes east of UTC.
        mutating func offset(_ bytes: borrowing Span<UInt8>) -> Int? {
            guard let sign = next(bytes) else { return nil }
            if sign | 0x20 == UInt8(ascii: "z") { return 0 }
            guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), let hours = number(bytes, digits: 2),
                hours < 24, skip(UInt8(ascii: ":"), bytes), let minutes = number(bytes, digits: 2), minutes < 60
            else { return nil }
            return (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -1 : 1)
        }
    }
}
