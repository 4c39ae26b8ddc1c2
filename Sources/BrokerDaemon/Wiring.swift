import Administration
import Attempts
import Authority
import AuthorityStore
import AuthorityWeb
import Broker
import BrokerRPC
import Credentials
import Flows
import Foundation
import HTTPServer
import Logging
import Moments
import NIOCore
import NIOPosix
import ProgramConfiguration
import Providers
import ServiceHost
import ServiceLifecycle
import Storage
import Systemd
import TokenCache
import Tokens

/// The assembly of the daemon: the only type that knows every part.
struct Wiring {
    let source: SettingsSource
    let current: CurrentSettings
    let places: Places
    let stateDirectory: String
    let socket: String
    let log: ServiceLog
    let metrics: PrometheusRegistry

    /// Opens everything that can fail a start, the databases first.
    func parts(_ keys: KeptVaultKeys) async throws(StartFailure) -> Parts {
        let settings = current.value
        let clock = MomentClock.system
        let stores = try await Stores.open(
            places: places,
            directory: stateDirectory,
            clock: clock
        )
        let mails = try dispatcher(settings, stores, clock)
        let catalogue = { @Sendable [current] in current.value.catalogue }
        let limits = settings.configuration.limits
        let attempts = Attempts(
            store: stores.authority,
            mails: MailLimits(perOrigin: limits.mailsPerUid, perOriginDaily: limits.mailsPerUidPerDay)
        )
        let hasher = PasswordHasher(jobs: limits.kdfJobs, queue: limits.kdfQueue)
        let flows = Flows(
            catalogue: catalogue,
            store: stores.authority,
            attempts: attempts,
            hasher: hasher,
            clock: clock,
            limits: FlowLimits(perOwner: limits.flowsPerUid, total: limits.flows),
            signUp: { [current] in SignUpMode(rawValue: current.value.configuration.signUp) ?? .closed },
            outbox: settings.configuration.mail.staysInFolder ? mailFolder(settings.configuration.mail) : nil,
            mailQueued: { mails.kick() },
            logger: log.logger("flows")
        )
        let authority = Authority(
            settings: { [current] in current.value.authority },
            catalogue: catalogue,
            store: stores.authority,
            attempts: attempts,
            clock: clock,
            logger: log.logger("authority")
        )
        let broker = Broker(
            authority: authority,
            flows: flows,
            cache: stores.cache,
            settings: { [current] in current.value.broker },
            catalogue: catalogue,
            clock: clock,
            machine: stores.machine,
            locks: LockParts(attempts: attempts, hasher: hasher, keep: keys.keep, forget: keys.forget),
            logger: log.logger("broker")
        )
        let administration = Administration(
            settings: { [current] in current.value.administration },
            authority: authority,
            store: stores.authority,
            attempts: attempts,
            clock: clock,
            machine: stores.machine,
            consequences: Consequences(
                changed: { broker.changed() },
                userLeft: { await broker.userLeft($0) },
                userChanged: { await broker.userChanged($0) },
                mailQueued: { mails.kick() }
            )
        )
        let measures = Measures(stores: stores, hasher: hasher)
        return Parts(
            clock: clock,
            stores: stores,
            mails: mails,
            authority: authority,
            broker: broker,
            administration: administration,
            measures: measures
        )
    }

    private func dispatcher(
        _ settings: Settings,
        _ stores: Stores,
        _ clock: MomentClock
    ) throws(StartFailure) -> MailDispatcher {
        let mail = settings.configuration.mail
        let logger = log.logger("mail")
        guard let server = mail.server else {
            return MailDispatcher(
                store: stores.authority,
                outbox: try outbox(settings),
                from: mail.from,
                clock: clock,
                logger: logger
            )
        }
        // An unreadable password is reported now, and not when the first mail waits.
        do throws(PasswordFile.Fault) {
            _ = try server.passwordFile?.read()
        } catch {
            throw StartFailure("`mail.passwordFile`: \(error)")
        }
        let client = SMTPClient(
            server: MailServer(server),
            certificates: ProcessInfo.processInfo.environment["SSL_CERT_FILE"]
        ) { () throws(MailError) in
            do throws(PasswordFile.Fault) {
                return try server.passwordFile?.read()
            } catch {
                throw MailError.unusable("\(error)")
            }
        }
        return MailDispatcher(
            store: stores.authority,
            server: client,
            from: mail.from,
            clock: clock,
            logger: logger
        )
    }

    private func mailFolder(_ mail: MailSettings) -> String {
        mail.directory ?? "\(stateDirectory)/\(mail.isSent ? "mail" : "outbox")"
    }

    private func outbox(_ settings: Settings) throws(StartFailure) -> Providers.Outbox {
        let mail = settings.configuration.mail
        let directory = mailFolder(mail)
        do {
            let outbox = try Providers.Outbox(directory: directory)
            if mail.isSent { return outbox }
            log.logger("mail").warning(
                "mail goes into a folder, which is for development",
                metadata: ["folder": "\(directory)"]
            )
            return outbox
        } catch {
            throw StartFailure(error.description)
        }
    }
}

extension MailServer {
    /// Makes the server that the configuration names.
    init(_ server: MailSettings.Server) {
        self.init(host: server.host, port: server.port, requiresTLS: server.startTLS, username: server.username)
    }
}

/// Parts that the daemon's listeners call.
struct Parts: Sendable {
    let clock: MomentClock
    let stores: Stores
    let mails: MailDispatcher
    let authority: Authority
    let broker: Broker
    let administration: Administration
    let measures: Measures
}

/// The two databases, the keys that seal them, and the identity of this machine.
struct Stores {
    let authority: AuthorityStore
    let cache: TokenCache
    let machine: String

    /// Files of the state directory that are useless without the sessions that a restore ends.
    static let endWithSessions = ["cache.sqlite"]

    /// Check for `/readyz`: the authority's database answers.
    var check: Health.Check {
        Health.Check("store") { [authority] in
            do {
                _ = try await authority.epoch()
                return nil
            } catch {
                return "the authority's database does not answer"
            }
        }
    }

    /// Empties the write-ahead logs without recent writes.
    func settle() async {
        await authority.settle()
        await cache.settle()
    }

    /// Opens both at once, because that is mostly waiting for the disk.
    static func open(
        places: Places,
        directory path: String,
        clock: MomentClock
    ) async throws(StartFailure) -> Stores {
        let keys: StoreKeys
        let machine: String
        do {
            let directory = try StateDirectory(path)
            machine = try MachineID.load(stateDirectory: path)
            keys = try StoreKeys(places: places, directory: directory)
        } catch let error as StoreError {
            throw StartFailure(error)
        } catch let error as StartFailure {
            throw error
        } catch {
            throw StartFailure("\(error)")
        }
        let options = TokenCache.Options(directory: path, key: keys.cache, clock: clock)
        let claim: TokenCache.Claim
        do throws(StoreError) {
            // The claim comes before anything is opened: only one daemon may use the cache.
            claim = try TokenCache.Claim(options)
            try AuthorityStore.Restore.finish(in: StateDirectory(path), removing: Self.endWithSessions)
        } catch {
            throw StartFailure(error, key: keys.cachePath)
        }
        async let opened = Result { () throws(StoreError) in
            try AuthorityStore.open(.init(directory: path, key: keys.authority, clock: clock))
        }
        let cached = Result { () throws(StoreError) in try TokenCache.open(options, claim) }
        let cache = try cached.mapError { StartFailure($0, key: keys.cachePath) }.get()
        let authority = try await opened.mapError { StartFailure($0, key: keys.authorityPath) }.get()
        return Stores(authority: authority, cache: cache, machine: machine)
    }
}
