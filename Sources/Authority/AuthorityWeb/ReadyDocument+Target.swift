import HTTPServer
import Hummingbird

extension ReadyDocument {
    /// Creates the document for a request target, or returns `nil` if no document has exactly this target.
    ///
    /// The target must be spelled exactly as in the metadata, where the policy's name is in lower case.
    init?(_ target: String, _ place: AuthorityPaths, _ documents: AuthorityDocuments) {
        let root = place.root + "/"
        func policy(_ tail: String) -> String? {
            guard target.hasPrefix(root), target.hasSuffix(tail), target.utf8.count > root.utf8.count + tail.utf8.count
            else { return nil }
            let name = String(target.dropFirst(root.count).dropLast(tail.count))
            return documents.metadata(name) == nil ? nil : name
        }
        if let policy = policy(DiscoveryRoute.tail) {
            self.init(
                route: place.prefix + "/{tenant}/{policy}" + DiscoveryRoute.tail,
                bytes: { documents.metadata(policy) },
                response: { .published($0, maxAge: MetadataRoute.maxAge) }
            )
        } else if let policy = policy(KeysRoute.tail) {
            self.init(
                route: place.prefix + "/{tenant}/{policy}" + KeysRoute.tail,
                bytes: { documents.metadata(policy) == nil ? nil : documents.readyKeys() },
                response: { .published($0, maxAge: KeysRoute.maxAge) }
            )
        } else {
            return nil
        }
    }
}
