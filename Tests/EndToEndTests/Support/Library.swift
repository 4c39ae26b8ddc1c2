import Attempts
import Authority
import AuthorityStore
import FlowModel
import Foundation
import Logging
import Moments
import OAuth
import Policies
import Storage
import TokenCache

/// The stores of a daemon, which a test opens in its own process after the daemon has ended.
struct Library {
    let cache: TokenCache
    let authority: Authority
    let machine: String

    init(_ place: Machine) throws {
        let directory = try StateDirectory(place.state)
        func key(_ name: String) throws -> Secret {
            guard let key = try KeyFile.load(name, in: directory, make: false) else { throw Missing(name: name) }
            return key
        }
        cache = try TokenCache.open(.init(directory: place.state, key: key("cache-key"), clock: .system))
        let store = try AuthorityStore.open(
            .init(directory: place.state, key: key("authority-key"), tenant: "local", clock: .system)
        )
        let (catalogue, problems) = PolicyCatalogue.load(folder: place.policies)
        guard let catalogue else { throw Missing(name: "\(problems)") }
        let policy = try PolicyID("b2c_1_sign_up_or_in")
        let settings = AuthoritySettings(
            base: place.base,
            tenant: "local",
            apis: [ProtectedAPI(name: "tasks", audience: "tasks", scopes: ["tasks.read": "", "tasks.write": ""])],
            clients: [
                OAuthClient(
                    ClientSummary(client: "tokenbroker-cli", name: "tokenbroker-cli", configured: true),
                    isFirstParty: true,
                    apis: ["tasks"]
                )
            ],
            defaultPolicy: policy,
            refreshGrace: .seconds(10)
        )
        machine = try MachineID.load(stateDirectory: place.state)
        authority = Authority(
            settings: { settings },
            catalogue: { catalogue },
            store: store,
            attempts: Attempts(store: store),
            clock: .system,
            logger: Logger(label: "library") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    struct Missing: Error {
        let name: String
    }
}
