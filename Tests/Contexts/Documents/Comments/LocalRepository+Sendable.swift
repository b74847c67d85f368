// From Sources/HeartwoodLocal/LocalRepository+Sendable.swift.
import HeartwoodLocal

func followItems(_ repository: LocalRepository<City>, _ show: ([City]) -> Void) async {
    for await items in repository.observe() { show(items) }
}
