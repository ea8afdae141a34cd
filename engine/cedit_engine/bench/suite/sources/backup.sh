#!/bin/bash
# Pack a folder and keep the last few archives.
source_dir="$1"
target_dir="${2:-/var/backups}"
keep=7

stamp=$(date +%Y%m%d)
archive="$target_dir/backup-$stamp.tar.gz"

mkdir -p "$target_dir"
tar -czf "$archive" "$source_dir"

ls -1t "$target_dir"/backup-*.tar.gz | tail -n +$((keep + 1)) | while read -r old; do
    rm "$old"
done

echo "wrote $archive"
