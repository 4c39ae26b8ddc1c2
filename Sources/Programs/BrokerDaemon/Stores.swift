import AuthorityStore
import HTTPServer
import Logging
import Moments
import ProgramConfiguration
import Storage
import TokenCache

/// The two databases, and the id of this machine.
struct Stores {
    let authority: AuthorityStore
    let cache: TokenCache
    let machine: String

    /// The files in the state directory that a restore deletes if ``isEmptied`` cannot remove the sessions' data.
    static let endWithSessions = ["cache.sqlite"]

    /// Removes the sessions' data from the cache, and returns whether that succeeded.
    ///
    /// The cache keeps the keys with which other programs encrypt their own stores.
    static let isEmptied: AuthorityStore.Restore.Emptying = { TokenCache.endSessions($0, in: $1) }

    var check: Health.Check {
        Health.Check("store") { [authority] in
            do {
                _ = try await authority.epoch()
                return nil
            } catch {
                return "the authority's database does not respond"
            }
        }
    }

    func settle() async {
        await authority.settle()
        await cache.settle()
    }

    /// Opens both databases concurrently, because opening mostly means waiting for the disk.
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
            // Only one daemon can use the cache, so the daemon claims the cache before it changes anything.
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
