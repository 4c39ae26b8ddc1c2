import Authority
public import FlowModel
public import OAuth
import StoreRefusals
import TokenCache

extension Broker {
    /// The key of a program's own store for an account of the caller; made at the first call.
    ///
    /// - Parameters:
    ///   - account: The account's id.
    ///   - client: The program.
    ///   - purpose: Tells the stores of one program apart.
    ///   - caller: The caller.
    /// - Returns: 32 bytes.
    /// - Throws: A refusal: no such account, a locked cache, too many keys.
    public func storeKey(
        account: String,
        client: String?,
        purpose: String,
        caller: Caller
    ) async throws -> Secret {
        let uid = try caller.owner.cacheUID
        let client = client ?? AuthoritySettings.defaultClient
        let key: Secret?
        do {
            key = try await cache.storeKeys.key(uid: uid, account: account, client: client, purpose: purpose)
        } catch {
            throw Self.rows.refusal(error)
        }
        guard let key else { throw Self.noSuchAccount }
        return key
    }
}
