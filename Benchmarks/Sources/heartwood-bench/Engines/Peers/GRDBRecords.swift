#if PEER_SQLITE
internal import Foundation
internal import GRDB

/// `Codable` records of GRDB in columns, as its documentation advises, with the same indexes.
struct GRDBRecordEngine: RecordEngine {
    var info: EngineInfo { GRDBEngine().info }
    var prefersThreads: Bool { true }

    func open(at path: String, _ promise: Promise, blocks: Bool) async throws -> GRDBCities {
        let pool = try await GRDBEngine.pool(at: "\(path)/cities.sqlite", promise)
        try await pool.write { database in
            try database.create(table: "city", options: .ifNotExists) { table in
                table.primaryKey("id", .integer)
                for text in ["name", "country", "timezone", "admin"] { table.column(text, .text).notNull() }
                table.column("population", .integer).notNull()
                for number in ["latitude", "longitude"] { table.column(number, .double).notNull() }
            }
            try GRDBCities.createIndexes(database)
        }
        return GRDBCities(pool: pool, blocks: blocks)
    }
}

extension City: FetchableRecord, PersistableRecord {}

/// An open pool. With one worker its calls block, on the worker's own thread, which is faster. Otherwise they are
/// the asynchronous ones.
struct GRDBCities: RecordDatabase {
    let pool: DatabasePool
    let blocks: Bool

    static func createIndexes(_ database: GRDB.Database) throws {
        for (name, columns) in [
            ("country_population", ["country", "population"]), ("population", ["population"]), ("name", ["name"]),
        ] {
            try database.create(index: name, on: "city", columns: columns, options: .ifNotExists)
        }
    }

    nonisolated(nonsending) func save(_ city: City) async throws {
        if blocks {
            try blocking { try city.save($0) }
        } else {
            try await pool.write { try city.save($0) }
        }
    }

    nonisolated(nonsending) func save(_ cities: [City]) async throws {
        try await pool.write { database in
            for city in cities { try city.save(database) }
        }
    }

    private func blocking(_ body: (GRDB.Database) throws -> Void) throws { try pool.write(body) }

    func find(_ id: Int) throws -> City? {
        try pool.read { database in
            try City.fetchOne(
                database.cachedStatement(sql: "SELECT * FROM city WHERE id = ?"), arguments: [id])
        }
    }

    func largest(_ limit: Int, in country: String) throws -> [City] {
        try pool.read { database in
            let statement = try database.cachedStatement(
                sql: "SELECT * FROM city WHERE country = ? ORDER BY population DESC, id DESC LIMIT ?")
            return try City.fetchAll(statement, arguments: [country, limit])
        }
    }

    func count(from population: Int) throws -> Int {
        try count("SELECT COUNT(*) FROM city WHERE population >= ?", [population])
    }

    func count(in country: String) throws -> Int {
        try count("SELECT COUNT(*) FROM city WHERE country = ?", [country])
    }

    private func count(_ sql: String, _ arguments: StatementArguments) throws -> Int {
        try pool.read { try Int.fetchOne($0.cachedStatement(sql: sql), arguments: arguments) } ?? 0
    }

    func isFound(name: String) throws -> Bool { try count("SELECT COUNT(*) FROM city WHERE name = ?", [name]) > 0 }

    func forEach(_ body: (City) throws -> Void) throws {
        try pool.read { database in
            let cities = try City.fetchCursor(database)
            while let city = try cities.next() { try body(city) }
        }
    }

    /// Inserts in the order of the ids, and makes the indexes afterwards: the fastest way, with the densest pages.
    nonisolated(nonsending) func fill(_ cities: Cities) async throws {
        try await pool.write { database in
            for index in ["country_population", "population", "name"] { try database.drop(index: index) }
        }
        for start in stride(from: 0, to: cities.count, by: 10_000) {
            try await pool.write { database in
                for number in start..<min(start + 10_000, cities.count) { try cities.city(number).insert(database) }
            }
        }
        try await pool.write { try Self.createIndexes($0) }
        try await pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    }

    nonisolated(nonsending) func close() async throws { try pool.close() }
}
#endif
