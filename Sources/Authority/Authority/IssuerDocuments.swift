import Policies
import Synchronization

/// A cache of one metadata document per policy, emptied when settings or policies are reloaded.
final class IssuerDocuments: Sendable {
    private struct Written {
        let settings: AuthoritySettings
        let catalogue: PolicyCatalogue
        var documents: [PolicyID: [UInt8]] = [:]
    }

    private let written = Mutex<Written?>(nil)

    /// Returns the cached document or the result of `write`, which is `nil` if the policy is not an issuer.
    func document(
        of policy: PolicyID,
        _ settings: AuthoritySettings,
        _ catalogue: PolicyCatalogue,
        write: () -> [UInt8]?
    ) -> [UInt8]? {
        let known = written.withLock { written -> [UInt8]? in
            // Comparing the values is fast, because old and new values share their storage unless they were reloaded.
            guard written?.settings == settings, written?.catalogue == catalogue else {
                written = Written(settings: settings, catalogue: catalogue)
                return nil
            }
            return written?.documents[policy]
        }
        if let known { return known }
        guard let document = write() else { return nil }
        written.withLock { written in
            if written?.settings == settings, written?.catalogue == catalogue {
                written?.documents[policy] = document
            }
        }
        return document
    }
}
