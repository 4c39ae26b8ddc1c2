/// A file that a policy names: a picture, a template or its sheet, a certificate, a secret.
public struct NamedFile: Hashable, Sendable {
    /// The path from the policy's folder; nil for an absolute one, and for a credential of the service manager.
    public let name: String?
    /// The path under which it is read.
    public let path: String

    /// A file, by the path from the folder of the policy, and by that under which it is read.
    init(name: String?, path: String) {
        self.name = name
        self.path = path
    }

    /// A file beside a policy.
    init(_ name: String, in folder: String) {
        self.init(name: name, path: folder.isEmpty ? name : "\(folder)/\(name)")
    }

    /// The number of folders by which its name leaves that of the policy, upwards.
    public var levelsUp: Int {
        var (level, lowest) = (0, 0)
        for part in (name ?? "").split(separator: "/") where part != "." {
            level += part == ".." ? -1 : 1
            lowest = min(lowest, level)
        }
        return -lowest
    }
}
