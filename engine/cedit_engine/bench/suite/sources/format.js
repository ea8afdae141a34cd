const UNITS = ["B", "KB", "MB", "GB"];

function formatBytes(bytes) {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toFixed(1)} ${UNITS[unit]}`;
}

function pad(number, width) {
  return String(number).padStart(width, "0");
}

function formatDuration(seconds) {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = seconds % 60;
  return `${pad(hours, 2)}:${pad(minutes, 2)}:${pad(rest, 2)}`;
}

function capitalize(word) {
  return word[0].toUpperCase() + word.slice(1);
}

function titleCase(text) {
  return text.split(" ").map(capitalize).join(" ");
}

module.exports = { formatBytes, formatDuration, capitalize, titleCase, pad };
