import HeartwoodEtcd
import Testing

@Suite struct EndpointTests {
    @Test(arguments: [
        ("localhost", "localhost:2379"), ("etcd-1:2380", "etcd-1:2380"), ("http://10.0.0.1:1", "10.0.0.1:1"),
        ("https://etcd.example/", "etcd.example:2379"), ("[::1]:7", "[::1]:7"), ("[::1]", "[::1]:2379"),
    ])
    func isParsed(_ text: String, _ expected: String) {
        #expect(EtcdStore.Configuration.Endpoint(text)?.description == expected)
    }

    @Test(arguments: ["", ":1", "a:", "a:b", "a:70000", "http://"])
    func isRefused(_ text: String) {
        #expect(EtcdStore.Configuration.Endpoint(text) == nil)
    }
}
