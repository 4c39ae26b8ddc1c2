import AuthorityStore
import HTTPServer
import Logging
import Moments
import ProgramConfiguration
import Storage
import TokenCache

/// The two databases, the keys that seal them, and the identity of this machine.
struct Stores {
    let authority: AuthorityStore
    let cache: TokenCache
    let machine: String

    /// Files of the state directory that are useless without the sessions that a restore ends.
    static let endWithSessions = ["cache.sqlite"]

    /// Empties the cache of what ended with the sessions; the keys of programs' stores stay in it.
    static let isEmptied: AuthorityStore.Restore.Emptying = { TokenCache.endSessions($0, in: $1) }

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
        paths: ProgramPaths,
        directory path: String,
        tenant: String,
        clock: MomentClock,
        logger: Logger
    ) async throws(StartFailure) -> Stores {
        let keys: StoreKeys
        let machine: String
        do {
            let directory = try StateDirectory(path)
            machine = try MachineID.load(stateDirectory: path)
            keys = try StoreKeys(paths: paths, directory: directory)
        } catch let error as StoreError {
            throw StartFailure(error)
        } catch let error as StartFailure {
            throw error
        } catch {
            throw StartFailure("\(error)")
        }
        let options = TokenCache.Options(directory: path, key: keys.cache, clock: clock, logger: logger)
        let claim: TokenCache.Claim
        do throws(StoreError) {
            // The claim comes before anything is opened: only one daemon may use the cache.
            claim = try TokenCache.Claim(options)
            try AuthorityStore.Restore.finish(
                in: StateDirectory(path),
                removing: Self.endWithSessions,
                unless: Self.isEmptied
            )
        } catch {
            throw StartFailure(error, key: keys.cachePath)
        }
        async let opened = Result { () throws(StoreError) in
            try AuthorityStore.open(
                .init(directory: path, key: keys.authority, tenant: tenant, clock: clock, logger: logger)
            )
        }
        let cached = Result { () throws(StoreError) in try TokenCache.open(options, claim) }
        let cache = try cached.mapError { StartFailure($0, key: keys.cachePath) }.get()
        let authority = try await opened.mapError { StartFailure($0, key: keys.authorityPath) }.get()
        return Stores(authority: authority, cache: cache, machine: machine)
    }
}
