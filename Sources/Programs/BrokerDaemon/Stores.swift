import AuthorityStore
import HTTPServer
import Logging
import Moments
import ProgramConfiguration
import Storage
import TokenCache

/// The two databases, the keys that encrypt them, and the id of this machine.
struct Stores {
    let authority: AuthorityStore
    let cache: TokenCache
    let machine: String

    /// The files in the state directory that a restore empties, because their content depends on sessions that the
    /// restore ends.
    static let endWithSessions = ["cache.sqlite"]

    /// Removes all content that depends on sessions from the cache, because a restore ends all sessions.
    ///
    /// The keys that programs use for their own stores remain.
    static let isEmptied: AuthorityStore.Restore.Emptying = { TokenCache.endSessions($0, in: $1) }

    /// The check for `/readyz`, which tests whether the authority's database responds.
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

    /// Empties the write-ahead logs that have not been written to recently.
    func settle() async {
        await authority.settle()
        await cache.settle()
    }

    /// Opens both databases concurrently, because opening mostly consists of waiting for the disk.
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
            // The claim comes first, because only one daemon can use the cache.
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
