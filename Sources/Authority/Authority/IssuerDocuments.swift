import Policies
import Synchronization

/// The metadata documents of all issuers as they were last written, while configuration and policies stay as they are.
///
/// There are never more than there are policies.
final class IssuerDocuments: Sendable {
    private struct Written {
        let settings: AuthoritySettings
        let catalogue: PolicyCatalogue
        var documents: [PolicyID: [UInt8]] = [:]
    }

    private let written = Mutex<Written?>(nil)

    /// The document of a policy's issuer, written by `write` if it is not there yet; nil if there is none.
    func document(
        of policy: PolicyID,
        _ settings: AuthoritySettings,
        _ catalogue: PolicyCatalogue,
        write: () -> [UInt8]?
    ) -> [UInt8]? {
        let known = written.withLock { written -> [UInt8]? in
            // Values that share their storage are compared at once, so only a reload makes this work.
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
