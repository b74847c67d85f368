// From Sources/HeartwoodLocal/LocalValues.swift.
import HeartwoodLocal

func observeItems(_ repository: LocalRepository<City>, _ show: ([City]) -> Void) async {
    for await items in repository.observe() { show(items) }
}
