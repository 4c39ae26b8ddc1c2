// Writes all sample pages, and the files that the pages use, into a folder. Usage: `page-samples FOLDER`.
import Foundation
import HostedPages
import PageSamples
import TablesServer

guard CommandLine.arguments.count == 2 else {
    FileHandle.standardError.write(Data("usage: page-samples FOLDER\n".utf8))
    exit(64)
}
let folder = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
let samples = try PageSample.all()
for sample in samples {
    try Data(sample.html.utf8).write(to: folder.appendingPathComponent("\(sample.name).html"))
}
let ends = DoneSample.all
for sample in ends {
    try Data(sample.html.utf8).write(to: folder.appendingPathComponent("\(sample.name).html"))
}
let names = samples.map(\.name) + ends.map(\.name)
try Data(names.joined(separator: "\n").utf8).write(to: folder.appendingPathComponent("order.txt"))
for asset in PageAsset.shared + samples.flatMap(\.frame.brand.assets) {
    try asset.bytes.write(to: folder.appendingPathComponent(asset.name))
}
try Data(DoneDocument.style.utf8).write(to: folder.appendingPathComponent("done.css"))
