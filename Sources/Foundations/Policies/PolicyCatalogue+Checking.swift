import Foundation
public import StrictYAML

extension PolicyCatalogue {
    /// The problems of one file, or of every file of a folder, found without a daemon.
    ///
    /// Files that it refers to are looked for beside it, then among the shipped ones; their own problems are left out.
    public static func problems(ofFile path: String) -> [Problem] {
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
            return load(folder: path).1
        }
        let node: YAMLNode
        do throws(Problem) { node = try YAMLDocument.parse(path: path) } catch { return [error] }
        guard path.hasSuffix(".yaml") else {
            return [Problem(file: path, line: 1, message: "the name must end in .yaml")]
        }
        let folder = (path as NSString).deletingLastPathComponent
        let own = node.fileName
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
        var nodes = [node]
        for name in names.sorted() where name.hasSuffix(".yaml") && !name.hasPrefix(".") && name != own {
            if let sibling = try? YAMLDocument.parse(path: folder.isEmpty ? name : folder + "/" + name) {
                nodes.append(sibling)
            }
        }
        for file in ShippedPolicies.files {
            guard let shipped = try? YAMLDocument.parse(file.text, file: file.path),
                !nodes.contains(where: { $0.fileName.lowercased() == shipped.fileName })
            else { continue }
            nodes.append(shipped)
        }
        return load(nodes, folder: folder, problems: []).1.filter { $0.file == path }
    }
}
