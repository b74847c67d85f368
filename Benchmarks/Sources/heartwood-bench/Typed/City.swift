/// The model of the typed rows: the fields of the demo's data.
struct City: Codable, Identifiable, Sendable, Equatable {
    var id: Int
    var name: String
    var country: String
    var population: Int
    var latitude: Double
    var longitude: Double
    var timezone: String
    var admin: String

    /// About the bytes of a city as JSON.
    static let jsonBytes = 153

    /// A sum over all fields and all bytes of its texts, so that a reader has read everything.
    var sum: UInt64 {
        var sum = UInt64(truncatingIfNeeded: id) &* 31 &+ UInt64(truncatingIfNeeded: population)
        sum = sum &* 31 &+ latitude.bitPattern
        sum = sum &* 31 &+ longitude.bitPattern
        for text in [name, country, timezone, admin] {
            for byte in text.utf8 { sum = sum &* 31 &+ UInt64(byte) }
        }
        return sum
    }
}

/// Cities that are made from their number, like those of the demo's data: names with letters beyond ASCII, a few
/// countries with many cities, and many small cities. The same in every run.
struct Cities: Sendable {
    /// Their numbers are less than this.
    let count: Int
    let seed: UInt64

    /// Codes of two letters.
    static let countries: [String] = (0..<200).map { (number: Int) -> String in
        let letters: [UInt8] = [UInt8(65 + number / 16), UInt8(65 + number % 16)]
        return String(decoding: letters, as: UTF8.self)
    }

    /// The id of the city with a number.
    func id(_ number: Int) -> Int { number + 1 }

    func number(_ id: Int) -> Int { id - 1 }

    /// The number of its country. The first countries have the most cities.
    func country(_ number: Int) -> Int {
        let uniform = unit(number, 1)
        return Int(uniform * uniform * Double(Self.countries.count))
    }

    /// The population after a number of changes: logarithmically uniform from 15,000 to 20 million.
    func population(_ number: Int, change: Int = 0) -> Int {
        // The exponent is split into a power of two and a linear rest, without a call of `pow`.
        let exponent = unit(number &+ change &* 0x9E37_79B1, 2) * 10.35
        let whole = Int(exponent)
        return Int(15_000 * Double(1 << whole) * (1 + exponent - Double(whole)))
    }

    /// The city with a number. A change gives it another population.
    func city(_ number: Int, change: Int = 0) -> City {
        let country = country(number)
        let bits = SplitMix64.mixed(seed ^ UInt64(number) &* 7)
        let region = Self.regions[country % Self.regions.count]
        return City(
            id: id(number), name: name(bits), country: Self.countries[country],
            population: population(number, change: change),
            latitude: degrees(unit(number, 3), 90), longitude: degrees(unit(number, 4), 180),
            timezone: region, admin: Self.admins[Int(bits >> 56) % Self.admins.count])
    }

    private func name(_ bits: UInt64) -> String {
        let parts = Self.syllables.count
        func part(_ shift: UInt64) -> String { Self.syllables[Int(bits >> shift & 0xFFFF) % parts] }
        var name = Self.beginnings[Int(bits & 0xFFFF) % Self.beginnings.count] + part(16)
        if bits >> 50 & 1 == 1 { name += part(32) }
        return name + Self.endings[Int(bits >> 40 & 0xFF) % Self.endings.count]
    }

    /// From -limit to limit, with five decimals.
    private func degrees(_ unit: Double, _ limit: Double) -> Double {
        ((2 * unit - 1) * limit * 100_000).rounded() / 100_000
    }

    /// A random number from 0 to 1, without 1.
    private func unit(_ number: Int, _ stream: UInt64) -> Double {
        let offset: UInt64 = seed &+ stream &* 0x9E37_79B9_7F4A_7C15
        let mixed = SplitMix64.mixed(UInt64(bitPattern: Int64(number)) &+ offset)
        return Double(mixed >> 11) * 0x1p-53
    }

    private static let beginnings = [
        "Al", "Bar", "Cen", "Dor", "El", "Fre", "Gren", "Hal", "Is", "Kal", "Lin", "Mar", "Nor", "Or", "Pal", "Rei",
        "San", "Tor", "Ul", "Ver", "Wal", "Xan", "Yar", "Zel", "Åre", "Örn", "Šap", "Ést",
    ]
    private static let syllables = [
        "a", "be", "cha", "di", "ē", "fo", "ga", "he", "í", "ka", "la", "mi", "no", "ó", "pe", "ra", "si", "ta", "ü",
        "va", "wi", "ya", "zo", "ñe", "ri", "sha", "tu", "le", "mo", "ne", "ā", "ki",
    ]
    private static let endings = [
        "berg", "ton", "ville", "stad", "grad", "pur", "abad", "burg", "field", "ford", "haven", "ia", "kirchen",
        "mouth", "nagar", "os", "polis", "rück", "shima", "vik",
    ]
    private static let regions = [
        "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Africa/Lagos", "America/Sao_Paulo", "Asia/Shanghai",
        "Australia/Sydney", "Atlantic/Reykjavik", "Europe/Andorra", "Asia/Dubai", "America/Argentina/Buenos_Aires",
        "Pacific/Auckland",
    ]
    private static let admins = (1...40).map { $0 < 10 ? "0\($0)" : "\($0)" }
}
