import AuthorityStore
import Credentials
import HTTPServer
import Metrics
import ProgramConfiguration
import TokenCache

/// The gauges that are updated when `/metrics` is read.
struct Measures: Sendable {
    let stores: Stores
    let hasher: PasswordHasher

    func take() async {
        await stores.authority.measure()
        await stores.cache.measure()
        let load = hasher.load
        Gauge(label: "kdf_under_way").record(load.underWay)
        Gauge(label: "kdf_places").record(load.most)
        Gauge(label: "tokenbroker_build_info", dimensions: [("version", Version.text)]).record(1)
        ProcessMeasures.take()
    }
}
